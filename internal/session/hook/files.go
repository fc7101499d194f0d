package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Files reads and runs the hook files of repositories. All sessions of a process share it.
// Every field except Home, Secrets and Disabled is required.
type Files struct {
	FS vfs.FS
	// Resolve returns an absolute path with its links resolved; "" if that fails.
	Resolve func(path string) string
	// Home is the program's own folder of the user, whose hooks need no trust; "" for none.
	Home string
	// Counts says which files the user has agreed to.
	Counts projectfiles.Counts
	// RunScript runs a command, as [shell.RunScript] does.
	RunScript func(context.Context, shell.Script) (shell.Outcome, error)
	// Secrets are environment variables that no command inherits.
	Secrets []string
	// Disabled reports whether the user has turned off the hooks of all files. If it fails,
	// they do not run. nil: they are on.
	Disabled func() (bool, error)
}

// Switch says whether a session runs hooks of repository files. The zero value runs
// them if the folder is trusted.
type Switch int

const (
	IfTrusted Switch = iota
	Off
	On
)

// Enable returns the switch for a client's setting: nil leaves the switch as it is.
func (s Switch) Enable(setting *bool) Switch {
	switch {
	case setting == nil:
		return s
	case *setting:
		return On
	}
	return Off
}

// FileSearch says in which folders hook files are searched.
type FileSearch struct {
	// Cwd is the working directory, Root its git repository, "" for none. Files are searched
	// in Root, otherwise in Cwd.
	Cwd, Root string
	Switch    Switch
	// Plugins are searched after the repository.
	Plugins []Plugin
}

// Limits on files with hooks. A repository has a handful.
const (
	maxFiles    = 50
	maxCommands = 100
)

// found holds the hooks of all files of a folder.
type found struct {
	commands []command
	looked   int // so many of them were checked for their scripts
	warnings []string
}

// FilesRead reports whether [Hooks.ReadFiles] was called before.
func (h *Hooks) FilesRead() bool { return h.read.Load() }

// Commands returns how many hooks of files there are.
func (h *Hooks) Commands() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.commands)
}

// fileWarning is the type of the session.warning about a file.
const fileWarning = "hook_file"

// ReadFiles reads the hook files of a folder, on the caller's goroutine; their hooks replace
// those that were read before. Problems of a file are recorded as a session.warning, each
// once.
func (h *Hooks) ReadFiles(where FileSearch) {
	if h.opts.Files == nil {
		return
	}
	h.reading.Lock()
	defer h.reading.Unlock()
	f := h.opts.Files.read(where)
	h.mu.Lock()
	h.commands = f.commands
	h.arrange()
	h.mu.Unlock()
	h.read.Store(true)
	for _, w := range f.warnings {
		if h.reported[w] {
			continue
		}
		if h.reported == nil {
			h.reported = map[string]bool{}
		}
		h.reported[w] = true
		h.opts.Session.Record("", &wire.SessionWarning{WarningType: fileWarning, Message: w})
	}
}

// file is a file with hooks, or with hooks among other settings.
type file struct {
	projectfiles.Entry
	name string // its path below the folder of the entry's place, with slashes
	err  error  // of a folder whose files cannot be listed
}

// places are where a folder of that place can have hooks, in the order in which they are read.
func places(in projectfiles.Place) []projectfiles.Entry {
	return append(projectfiles.Of(projectfiles.Hooks, in), projectfiles.Of(projectfiles.Brought, in)...)
}

// filesIn lists the files of a folder that may have hooks.
func (o *Files) filesIn(in projectfiles.Place, folder string) (list []file) {
	if folder == "" {
		return nil
	}
	for _, e := range places(in) {
		if e.Folder() == e.Path {
			if _, err := o.FS.Stat(e.Below(folder)); !errors.Is(err, fs.ErrNotExist) { // of any other error reading says more
				list = append(list, file{Entry: e, name: e.Path})
			}
			continue
		}
		entries, err := o.FS.ReadDir(e.Below(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // most repositories have no such folder
			list = append(list, file{Entry: e, name: e.Folder(), err: err})
		}
		for _, one := range entries {
			if strings.HasSuffix(one.Name(), e.Ending()) {
				list = append(list, file{Entry: e, name: e.Folder() + "/" + one.Name()})
			}
		}
	}
	return list
}

// read reads the files with hooks, each place in the order of the file names. Of a folder whose hooks
// may not run, it says only which files have some: docs/decisions/0042-hooks-without-trust-are-named.md.
func (o *Files) read(where FileSearch) (f found) {
	root := cmp.Or(where.Root, where.Cwd)
	if where.Switch == Off {
		return f
	}
	plugins := o.ofPlugins(where.Plugins)
	project, own := o.filesIn(projectfiles.Root, root), o.filesIn(projectfiles.Home, o.Home)
	if len(project)+len(own)+len(plugins) == 0 || o.off(&f) {
		return f
	}
	switch {
	case len(project) == 0:
	case o.untrusted(where.Switch, root):
		o.leaveOut(&f, project, root)
	default:
		o.readFiles(&f, project, root, root, where.Switch)
	}
	o.readFiles(&f, own, o.Home, cmp.Or(root, o.Home), On)
	for _, p := range plugins {
		o.readPlugin(&f, p, where)
	}
	return f
}

// off reports whether the user has turned off the hooks of files, and notes a problem.
func (o *Files) off(f *found) bool {
	if o.Disabled == nil {
		return false
	}
	disabled, err := o.Disabled()
	if err != nil {
		f.warnings = append(f.warnings, fmt.Sprintf("The hooks of files do not run, because the user's settings cannot be read: %v.", err))
	}
	return disabled || err != nil
}

// untrusted reports whether no hook of a folder may run, because the user does not trust it.
func (o *Files) untrusted(s Switch, folder string) bool {
	return s != On && errors.Is(o.Counts(filepath.Join(folder, "hooks"), ""), projectfiles.ErrUntrusted)
}

// leaveOut says which files of a folder that is not trusted have hooks. Of settings it finds out only whether there are
// any.
func (o *Files) leaveOut(f *found, files []file, root string) {
	for i, one := range files {
		if i >= maxFiles {
			return
		}
		if one.Kind != projectfiles.Hooks {
			if text, _ := o.readFile(filepath.Join(root, filepath.FromSlash(one.name)), root, IfTrusted); !hasHooks(text) {
				continue
			}
		}
		f.warn(one.name, "its hooks do not run, because the folder is not trusted; to trust it: sidestick trust")
	}
}

// readFiles reads the hooks of files in a folder. The commands start in base.
func (o *Files) readFiles(f *found, files []file, folder, base string, s Switch) {
	for i, one := range files {
		if i >= maxFiles {
			f.warn(one.name, "left out with all that follow: there are more than %d files with hooks", maxFiles)
			return
		}
		text, err := []byte(nil), one.err
		if err == nil {
			text, err = o.readFile(filepath.Join(folder, filepath.FromSlash(one.name)), folder, s)
		}
		switch unread := err != nil && text == nil; {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case one.Kind != projectfiles.Hooks && !unread && !hasHooks(text):
			continue // package discovery reads the rest of the settings
		case err != nil:
			f.warn(one.name, "its hooks do not run, so nothing that they would deny is denied: %v", err)
			continue
		}
		f.parse(one.Entry, one.name, folder, base, text)
		o.agreed(f, s)
	}
}

// hasHooks reports whether settings have hooks, or cannot be read.
func hasHooks(text []byte) bool {
	var settings struct {
		Hooks json.RawMessage `json:"hooks"`
	}
	return json.Unmarshal(jsonc.Plain(text), &settings) != nil || settings.Hooks != nil
}

// agreed removes the hooks that were read last whose scripts the user has not agreed to, and says so; those of
// an earlier file have been looked at.
func (o *Files) agreed(f *found, s Switch) {
	kept := f.commands[:f.looked]
	for _, c := range f.commands[f.looked:] {
		c.agreed = s != On
		if err := o.scripts(c); err != nil {
			f.warn(c.file, "the %s hook does not run: %v", c.Kind, err)
			continue
		}
		kept = append(kept, c)
	}
	f.commands, f.looked = kept, len(kept)
}

// scripts returns why a command must not run: a file of its folder that it names is not as the user has agreed
// to. It is called when the hooks are read, and before each run. What writes the file between this look and its
// run gains little: the hook runs in the sandbox that commands run in.
func (o *Files) scripts(c command) error {
	if !c.agreed {
		return nil
	}
	texts := []string{c.Text}
	for _, name := range slices.Sorted(maps.Keys(c.env)) {
		texts = append(texts, c.env[name])
	}
	return projectfiles.CheckScripts(o.FS, o.FS.OpenFile, o.Resolve, o.Counts, c.root, []string{c.dir}, texts...)
}

// readFile reads a file that must be in root after links are resolved, because only that
// folder is trusted. The user must have agreed to its content, unless the switch is On: of a file to which the
// user has not, the text comes with the error. The text is nil if it cannot be read.
func (o *Files) readFile(name, root string, s Switch) ([]byte, error) {
	info, err := o.FS.Stat(name)
	if err != nil {
		return nil, err
	}
	if !(permit.Folders{Primary: o.Resolve(root)}).Contains(o.Resolve(name)) {
		return nil, errors.New("a link that leads out of the repository")
	}
	if !info.Mode().IsRegular() || info.Size() > projectfiles.MaxFile {
		return nil, fmt.Errorf("not a file of at most %d MiB", projectfiles.MaxFile>>20)
	}
	file, err := o.FS.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only a lock; nothing was written to it
	text, err := io.ReadAll(io.LimitReader(file, projectfiles.MaxFile))
	if err != nil {
		return nil, err
	}
	if s != On {
		err = o.Counts(name, projectfiles.Digest(text))
	}
	return text, err
}
