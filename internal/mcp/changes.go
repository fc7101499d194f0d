package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Users returns the servers of the user, as they are in the file, and the names of those that are
// disabled.
func (f *Files) Users() (servers map[string]json.RawMessage, disabled []string, err error) {
	if f.User == "" {
		return map[string]json.RawMessage{}, nil, nil
	}
	d, err := f.load(f.user())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return map[string]json.RawMessage{}, nil, nil
	case errors.As(err, new(*fs.PathError)):
		return nil, nil, vfs.Failure("mcp.config", f.User, err)
	case err != nil:
		return nil, nil, damaged(f.User, err)
	}
	return d.servers, d.disabled, nil
}

// user is the user's file.
func (f *Files) user() file { return file{f.User, fieldServers, sourceUser, false} }

// Put adds a server to the user's file, or replaces it if add is false. [fault.Conflict] if the
// server to add is there, [fault.NotFound] if the one to replace is not.
func (f *Files) Put(name string, config json.RawMessage, add bool) error {
	return f.put(f.user(), name, config, func(known bool) error {
		switch {
		case known && add:
			return fault.New(fault.Conflict, "mcp.config.add", name, "an MCP server with this name is configured")
		case !known && !add:
			return fault.New(fault.NotFound, "mcp.config.update", name, "MCP server %q is not configured", name)
		}
		return nil
	})
}

// Add adds a server to the user's file or, if project is not empty, to the file of the project in
// that folder. It returns the path of the file. [fault.Conflict] if the file has a server of that
// name, unless replace is set.
func (f *Files) Add(project, name string, config json.RawMessage, replace bool) (path string, err error) {
	to := f.user()
	if project != "" {
		all := f.files(project, project)
		to = all[len(all)-1] // .mcp.json of the root, which takes the place of the others
		if !f.inside(project, to.path) {
			return to.path, fault.New(fault.Invalid, "mcp.add", to.path, "it is a link that leads out of the project")
		}
	}
	return to.path, f.put(to, name, config, func(known bool) error {
		if known && !replace {
			return &fault.Error{Op: "mcp.add", On: name, Kind: fault.Conflict, Err: errors.New(to.path + " has a server of this name"), Hint: "--replace replaces it"}
		}
		return nil
	})
}

// put sets the configuration of a server in a file, if may allows it.
func (f *Files) put(to file, name string, config json.RawMessage, may func(known bool) error) error {
	if name == "" {
		return fault.New(fault.Invalid, "mcp.config", "", "name is missing")
	}
	if _, err := parse(name, config); err != nil {
		return err
	}
	if err := checkName(name); err != nil {
		return err
	}
	return f.change(to, func(text []byte, d document) ([]byte, error) {
		if err := may(d.servers[name] != nil); err != nil {
			return nil, err
		}
		return jsonc.Set(text, config, d.place(to.field, name)...)
	})
}

// Remove removes a server from the user's file. [fault.NotFound] if it is not there.
func (f *Files) Remove(name string) error { return f.remove(f.user(), name) }

// RemoveFrom is Remove for the file at a path, which is the one of a [Found] for the same project and folder.
// [fault.Denied] for a file that other programs write.
func (f *Files) RemoveFrom(project, cwd, path, name string) error {
	for _, from := range f.files(project, cwd) {
		switch {
		case from.path != path:
		case from.readOnly:
			return fault.New(fault.Denied, "mcp.remove", path, "other programs write this file; remove the server there")
		case from.source == sourceProject && !f.inside(project, path):
			return fault.New(fault.Invalid, "mcp.remove", path, "it is a link that leads out of the project")
		default:
			return f.remove(from, name)
		}
	}
	return fault.New(fault.NotFound, "mcp.remove", path, "it is not a file of MCP servers")
}

func (f *Files) remove(from file, name string) error {
	return f.change(from, func(text []byte, d document) ([]byte, error) {
		if d.servers[name] == nil {
			return nil, fault.New(fault.NotFound, "mcp.config.remove", name, "MCP server %q is not configured", name)
		}
		text, err := jsonc.Remove(text, d.place(from.field, name)...)
		if err != nil || from.source != sourceUser {
			return text, err
		}
		return f.disable(text, d, []string{name}, false)
	})
}

// Disable disables servers of the user, or enables them if off is false.
func (f *Files) Disable(names []string, off bool) error {
	return f.change(f.user(), func(text []byte, d document) ([]byte, error) { return f.disable(text, d, names, off) })
}

func (f *Files) disable(text []byte, d document, names []string, off bool) ([]byte, error) {
	now := slices.DeleteFunc(slices.Clone(d.disabled), func(n string) bool { return slices.Contains(names, n) })
	if off {
		now = append(now, names...)
	}
	switch {
	case slices.Equal(now, d.disabled):
		return text, nil
	case len(now) == 0:
		return jsonc.Remove(text, fieldDisabled)
	}
	list, err := json.Marshal(now)
	if err != nil {
		return nil, err
	}
	return jsonc.Set(text, list, fieldDisabled)
}

// change changes a file, or makes it. An error of the function changes nothing. The mode of the file stays; a
// new file of the user is readable only by the user. A link is followed.
func (f *Files) change(to file, change func(text []byte, d document) ([]byte, error)) error {
	if to.path == "" {
		return fault.New(fault.Unavailable, "mcp.config", "", "this runtime has no folder for the user's configuration")
	}
	f.changing.Lock()
	defer f.changing.Unlock()
	err := f.rewrite(to, change)
	if known := new(fault.Error); err == nil || errors.As(err, &known) {
		return err
	}
	return vfs.Failure("mcp.config", to.path, err)
}

// Modes of new files. The files of a project are for everybody who works on it.
const (
	userMode    = 0o600
	projectMode = 0o644
)

// rewrite is change with the lock held. Other processes are kept out meanwhile.
func (f *Files) rewrite(to file, change func([]byte, document) ([]byte, error)) error {
	path := f.Resolve(to.path)
	if path == "" {
		return fault.New(fault.Invalid, "mcp.config", to.path, "it cannot be known where this path leads")
	}
	mode, folder := fs.FileMode(userMode), fs.FileMode(0o700)
	if to.source == sourceProject {
		mode, folder = projectMode, 0o755
	}
	if f.User != "" {
		if err := vfs.MkdirAllSync(f.FS, filepath.Dir(f.User), 0o700); err != nil {
			return err
		}
		lock, err := vfs.Lock(context.Background(), f.FS, f.User+".lock")
		if err != nil {
			return err
		}
		defer func() { _ = lock.Close() }() // nothing was written to the lock file
	}
	text, err := f.read(path)
	switch info, failed := f.FS.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		if err := vfs.MkdirAllSync(f.FS, filepath.Dir(path), folder); err != nil {
			return err
		}
	case err != nil:
		return err
	case failed == nil:
		mode = info.Mode().Perm()
	}
	d, err := readDocument(text, to.field)
	if err != nil {
		return damaged(to.path, err)
	}
	after, err := change(text, d)
	switch {
	case errors.As(err, new(*fault.Error)):
		return err
	case err != nil:
		return damaged(to.path, err)
	case string(after) == string(text):
		return nil
	}
	return vfs.WriteFileAtomic(f.FS, path, after, mode)
}

func damaged(path string, err error) error {
	return &fault.Error{Op: "mcp.config", On: path, Kind: fault.Invalid, Err: fault.JSON(err), Hint: "repair the file, or remove it"}
}
