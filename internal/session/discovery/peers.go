package discovery

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/peerfile"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// PeerSettings is what the settings files of other programs say in a project.
type PeerSettings struct {
	// Deny and Ask hold in any case; Allow and Folders, which are resolved, only where the user trusts the file.
	Deny, Ask, Allow []permit.Rule
	Folders          []string
	// Refuses is [peerfile.Settings].Refuses.
	Refuses bool
	// Warnings say what has no effect, each with its file.
	Warnings []string
}

// PeerSettings reads the settings files that a project has for Claude Code, without the hooks in them.
func (f *Finder) PeerSettings(scope Scope) (s PeerSettings) {
	root := cmp.Or(scope.Root, scope.Cwd)
	if root == "" {
		return s
	}
	for _, e := range projectfiles.Of(projectfiles.Brought, projectfiles.Root) {
		if e.Powers&projectfiles.Grants != 0 {
			f.peerFile(&s, e, root, scope.Cwd)
		}
	}
	return s
}

func (f *Finder) peerFile(s *PeerSettings, e projectfiles.Entry, root, cwd string) {
	path := e.Below(root)
	text, err := f.readPeer(path, root, cwd)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	warn := func(w string) { s.Warnings = append(s.Warnings, e.Path+": "+w) }
	if err != nil {
		warn(fmt.Sprintf("it is not used: %v", err))
		return
	}
	from := peerfile.Origin{Name: e.Path, Project: f.opts.Resolve(root), Home: f.opts.UserHome}
	found, err := peerfile.ParseSettings(text, from)
	if err != nil {
		warn(fmt.Sprintf("it cannot be read, so nothing that it denies is denied: %v", err))
		return
	}
	for _, w := range found.Warnings {
		warn(w)
	}
	s.Deny, s.Ask = append(s.Deny, found.Deny...), append(s.Ask, found.Ask...)
	s.Refuses = s.Refuses || found.Refuses
	folders, unfit := f.peerFolders(found.Folders, root)
	for _, w := range unfit {
		warn(w)
	}
	if len(found.Allow)+len(folders) == 0 {
		return
	}
	switch err := f.opts.Counts(path, projectfiles.Digest(text)); {
	case errors.Is(err, projectfiles.ErrUntrusted):
		warn("its permissions.allow and additionalDirectories have no effect, because the folder is not trusted; to trust it: sidestick trust")
	case err != nil:
		warn("its permissions.allow and additionalDirectories have no effect: " + err.Error())
	default:
		s.Allow = append(s.Allow, found.Allow...)
		s.Folders = append(s.Folders, folders...)
	}
}

// peerFolders resolves the further folders of a settings file. unfit says which have no effect, and why.
func (f *Finder) peerFolders(names []string, root string) (folders, unfit []string) {
	for _, name := range names {
		path := name
		if rest, ok := strings.CutPrefix(path+"/", "~/"); ok && f.opts.UserHome != "" {
			path = filepath.Join(f.opts.UserHome, rest)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		real := f.opts.Resolve(filepath.Clean(path))
		if why := f.unfit(real); why != "" {
			unfit = append(unfit, fmt.Sprintf("permissions.additionalDirectories: %.200q has no effect: %s", name, why))
			continue
		}
		folders = append(folders, real)
	}
	return folders, unfit
}

// unfit says why a file of a repository cannot make a folder one to work in; "" if it can.
func (f *Finder) unfit(real string) string {
	if real == "" {
		return "it cannot be known where it leads"
	}
	ofUser := func(folder string) string {
		if folder == "" {
			return ""
		}
		return cmp.Or(f.opts.Resolve(folder), folder)
	}
	if why := permit.Unfit(real, ofUser(f.opts.Home), ofUser(f.opts.UserHome)); why != "" {
		return why
	}
	if info, err := f.opts.FS.Stat(real); err != nil || !info.IsDir() {
		return "there is no such folder"
	}
	return ""
}

// readPeer reads a settings file, which must be in the project once links are resolved, and not be another
// user's if it is above the working directory.
func (f *Finder) readPeer(path, root, cwd string) ([]byte, error) {
	info, err := f.opts.FS.Stat(path)
	if err != nil {
		return nil, err
	}
	if !(permit.Folders{Primary: f.opts.Resolve(root)}).Contains(f.opts.Resolve(path)) {
		return nil, errors.New("it is a link that leads out of the project")
	}
	if vfs.Strange(f.opts.FS, cwd, root, path) {
		return nil, errors.New("another user of this machine owns it or its folder")
	}
	if !info.Mode().IsRegular() || info.Size() > projectfiles.MaxFile {
		return nil, fmt.Errorf("it is not a file of at most %d MiB", projectfiles.MaxFile>>20)
	}
	file, err := f.opts.FS.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, vfs.Failure("settings", path, err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(file, projectfiles.MaxFile))
	if err != nil {
		return nil, errors.New(fault.Message(err))
	}
	return text, nil
}

// Holding says which rules of settings of other programs hold in a project, a line for each file; nothing without rules.
func (s PeerSettings) Holding() (lines []string) {
	byFile := map[string][]string{}
	for _, list := range []struct {
		word  string
		rules []permit.Rule
	}{{"denies ", s.Deny}, {"asks about ", s.Ask}, {"allows ", s.Allow}} {
		for _, r := range list.rules {
			byFile[r.From] = append(byFile[r.From], list.word+r.String())
		}
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		lines = append(lines, file+" "+strings.Join(byFile[file], ", "))
	}
	return lines
}

// ProjectFilesWithoutEffect says what the files of a project ask for that has no effect, or would have none once the project is trusted:
// settings of other programs, hooks, and fields of slash commands. It reads the files, whether they are trusted or not.
func (f *Finder) ProjectFilesWithoutEffect(scope Scope) (lines []string) {
	root := cmp.Or(scope.Root, scope.Cwd)
	if root == "" {
		return nil
	}
	lines = f.PeerSettings(scope).Warnings
	found, _ := projectfiles.Present(f.opts.FS, root)
	for _, one := range found {
		if one.Kind != projectfiles.Hooks && one.Kind != projectfiles.Brought && one.Kind != projectfiles.Prompts {
			continue
		}
		text, err := f.readPeer(filepath.Join(root, filepath.FromSlash(one.File)), root, scope.Cwd)
		if err != nil {
			continue // the loader says so, or there is none
		}
		var problems []string
		if one.Kind == projectfiles.Prompts {
			problems = prompt.PromptFieldsWithoutEffect(one.File, string(text))
		} else if hooks, err := peerfile.ParseHooks(text, false); err != nil {
			problems = []string{"its hooks cannot be read: " + err.Error()}
		} else {
			problems = hooks.Warnings
			if len(hooks.Others) > 0 && !strings.HasPrefix(one.File, ".claude/") {
				problems = append(problems, fmt.Sprintf("these have no effect: %.400s", strings.Join(hooks.Others, ", ")))
			}
		}
		for _, p := range problems {
			if line := one.File + ": " + p; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if own := filepath.Join(f.opts.UserHome, ".claude", "settings.json"); f.opts.UserHome != "" {
		if _, err := f.opts.FS.Stat(own); err == nil {
			lines = append(lines, "~/.claude/settings.json: it is not read; put your rules into the settings of Sidestick")
		}
	}
	return lines
}
