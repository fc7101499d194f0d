package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// brings lists what the files of a folder may do once the user trusts it, a line for each file, from
// the table of package projectfiles: its path, its powers, and what details has for its path.
func brings(o *cli.Options, folder string, details map[string][]string) (lines []string) {
	found, more := projectfiles.Present(o.Disk(), folder)
	for _, f := range found {
		path := filepath.Join(folder, filepath.FromSlash(f.File))
		line := fmt.Sprintf("%s (%s: %s)", f.File, f.Kind, f.Powers)
		if detail := details[path]; len(detail) > 0 {
			line += ": " + strings.Join(detail, "; ")
		}
		lines = append(lines, timeline.ExposedLine(o.Secrets.Redact(line), 4*terminal.Columns))
	}
	if more {
		lines = append(lines, "and more: a kind has more files than are listed")
	}
	return lines
}

// detailsOf returns what the MCP servers and agents of a project start, and where they send
// something, by the paths of their files.
func detailsOf(local *wiring.Local, folder string) map[string][]string {
	details := map[string][]string{}
	servers, _ := local.ServerFiles().All(folder)
	for _, one := range servers {
		details[one.Path] = append(details[one.Path], one.Name+" = "+serverText(one.Written))
	}
	agents, _ := local.Finder().AgentFiles([]string{folder}, false) // a folder that is a path is no error
	for _, a := range agents {
		if a.Model != "" {
			details[a.Path] = append(details[a.Path], "the conversation of the agent goes to the model "+a.Model)
		}
		for name, config := range a.MCPServers {
			details[a.Path] = append(details[a.Path], name+" = "+serverText(config))
		}
		slices.Sort(details[a.Path])
	}
	return details
}

// serverText is the command or the address of a server.
func serverText(config json.RawMessage) string {
	var server struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
		URL     string   `json:"url"`
	}
	if json.Unmarshal(config, &server) != nil {
		return "it cannot be read"
	}
	return strings.TrimSpace(strings.Join(append([]string{server.Command}, server.Args...), " ") + " " + server.URL)
}

// mostShown bounds the files that doctor names.
const mostShown = 5

// checkProject says which files of the project may do something once the folder is trusted, and which
// files above the working directory are not used because another user owns them. It returns no check
// if there are none.
func checkProject(o *cli.Options, local *wiring.Local) (found []cli.Check) {
	if lines := brings(o, local.Project, nil); len(lines) > 0 {
		c := cli.Check{About: "project", Grade: cli.Good, Is: "the folder is trusted, so these files count: "}
		if trusted, err := local.Trust().Has(local.Project); err != nil || !trusted {
			c.Is, c.Next = "the folder is not trusted, so these files have no effect yet: ", "look at them; to trust the folder: sidestick trust"
		}
		shown := lines[:min(len(lines), mostShown)]
		c.Is += strings.Join(shown, ", ")
		if n := len(lines) - len(shown); n > 0 {
			c.Is += fmt.Sprintf(" and %d more", n)
		}
		found = append(found, c)
	}
	if strange := local.Finder().Strange(discovery.Scope{Cwd: cli.Absolute("."), Root: local.Project}); len(strange) > 0 {
		found = append(found, cli.Check{
			About: "project", Grade: cli.Fair, Is: "not used, because another user of this machine owns them or their folder: " + timeline.ExposedLine(strings.Join(strange, ", "), 4*terminal.Columns),
			Next: "to use the files of a folder of another user, work in that folder itself",
		})
	}
	return found
}
