package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/mcpcmd"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// whole is a line of text from files. Nothing in it is cut: the user decides about all of it.
func whole(o *cli.Options, line string) string { return timeline.ExposedPath(o.Secrets.Redact(line)) }

// described are the lines of a file: its path with its powers and, below it, each thing that it starts, grants, sends or
// sets.
func described(o *cli.Options, file string, is projectfiles.Agreed) []string {
	lines := []string{whole(o, fmt.Sprintf("%s (%s)", file, is.Kind))}
	for _, does := range is.Does {
		lines = append(lines, "  "+whole(o, does))
	}
	return lines
}

// changes are the lines about files that are not as the user has agreed to: of one that has changed, what it did and
// does no more, and what it would do and did not.
func changes(o *cli.Options, files []registry.TrustedFile) (lines []string) {
	for _, one := range files {
		switch one.State {
		case registry.FileChanged:
			lines = append(lines, whole(o, fmt.Sprintf("%s (%s) has changed", one.File, one.Now.Kind)))
			lines = append(lines, differing(o, one.Before.Does, one.Now.Does)...)
		case registry.FileNew:
			lines = append(lines, above("new: ", described(o, one.File, one.Now))...)
		case registry.FileGone:
			lines = append(lines, above("gone: ", described(o, one.File, one.Before))...)
		}
	}
	return lines
}

func above(word string, lines []string) []string {
	lines[0] = word + lines[0]
	return lines
}

// differing are the lines that two lists do not share.
func differing(o *cli.Options, before, now []string) (lines []string) {
	without := func(word string, list, other []string) {
		for _, line := range list {
			if !slices.Contains(other, line) {
				lines = append(lines, "  "+word+whole(o, line))
			}
		}
	}
	without("before: ", before, now)
	without("now:    ", now, before)
	switch {
	case len(lines) == 0 && len(now) > 0 && !slices.Equal(before, now):
		lines = []string{"  it does the same as before, in another order or more often"}
	case len(lines) == 0 && len(now) > 0:
		lines = []string{"  what it starts, grants, sends and sets is as before; its other text has changed"}
	}
	return lines
}

// mostShown bounds the files that doctor names.
const mostShown = 5

// checkProject says which files of the project may do something once the folder is trusted, which of a folder that
// is trusted have changed since then, and which files above the working directory are not used because another user
// owns them. It returns no check if there are none.
func checkProject(o *cli.Options, local *wiring.Local) (found []cli.Check) {
	seen, err := local.Trust().Look(local.Project)
	if err != nil {
		seen = registry.TrustedFiles{}
	}
	var same, lines []string
	for _, one := range seen.Files {
		if one.State == registry.FileSame || !seen.Looked && one.State == registry.FileNew {
			is := described(o, one.File, one.Now)
			same, lines = append(same, is[0]), append(lines, is...)
		}
	}
	switch {
	case len(same) == 0:
	case seen.Looked:
		found = append(found, cli.Check{About: "project", Grade: cli.Good, Is: "the folder is trusted, so these files count: " + firstOf(same)})
	default:
		c := cli.Check{About: "project", Grade: cli.Good, Is: "the folder is not trusted, so these files have no effect yet:", Lines: lines, Next: "look at them; to trust the folder: sidestick trust"}
		if folders, _ := local.Trust().List(); slices.Contains(folders, seen.Folder) { // what cannot be read is not trusted
			c.Grade, c.Is = cli.Fair, "an older version trusted the folder without a look at its content, so these files have no effect:"
		}
		found = append(found, c)
	}
	gone := func(one registry.TrustedFile) bool { return one.State == registry.FileGone }
	if changed := slices.DeleteFunc(seen.Changed(), gone); seen.Looked && len(changed) > 0 {
		found = append(found, cli.Check{
			About: "project", Grade: cli.Fair, Is: "not as they were when you trusted the folder, so these files have no effect:", Lines: changes(o, changed),
			Next: "to agree to what they do now: sidestick trust",
		})
	}
	found = append(found, checkGrants(local)...)
	found = append(found, checkPeers(o, local)...)
	if strange := local.Finder().Strange(discovery.Scope{Cwd: cli.Absolute("."), Root: local.Project}); len(strange) > 0 {
		found = append(found, cli.Check{
			About: "project", Grade: cli.Fair, Is: "not used, because another user of this machine owns them or their folder: " + timeline.ExposedLine(strings.Join(strange, ", "), 4*terminal.Columns),
			Next: "to use the files of a folder of another user, work in that folder itself",
		})
	}
	return found
}

// checkPeers says which rules of settings of other programs hold in the project, and what its files ask for that has no
// effect.
func checkPeers(o *cli.Options, local *wiring.Local) (found []cli.Check) {
	scope := discovery.Scope{Cwd: cli.Absolute("."), Root: local.Project}
	if holding := exposed(o, local.Finder().PeerSettings(scope).Holding()); len(holding) > 0 {
		found = append(found, cli.Check{About: "project", Grade: cli.Good, Is: "rules of other programs' settings that hold: " + strings.Join(holding, "; ")})
	}
	if lines := exposed(o, local.Finder().ProjectFilesWithoutEffect(scope)); len(lines) > 0 {
		found = append(found, cli.Check{About: "project", Grade: cli.Good, Is: "without effect here: " + strings.Join(lines, "; ")})
	}
	return found
}

// checkGrants says what the user has granted to servers of the project. It returns no check if that is nothing.
func checkGrants(local *wiring.Local) []cli.Check {
	granted, err := local.Trust().ServerGrants(local.Project)
	if err != nil || len(granted) == 0 { // the check of approvals says what is wrong with the file
		return nil
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(granted)) {
		lines = append(lines, timeline.ExposedLine(name+" "+mcpcmd.GrantText(granted[name]), 4*terminal.Columns))
	}
	return []cli.Check{{About: "project", Grade: cli.Good, Is: "granted to its MCP servers, each as it was defined then: " + firstOf(lines)}}
}

// firstOf joins the first lines of a list, and says how many more there are.
func firstOf(lines []string) string {
	text := strings.Join(lines[:min(len(lines), mostShown)], ", ")
	if n := len(lines) - mostShown; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
