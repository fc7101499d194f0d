package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Files are the files in which servers are configured: one of the user, and those of projects. All
// sessions of a process share them. It is safe for concurrent use.
type Files struct {
	FS vfs.FS
	// User is the path of the user's file; empty: there is none.
	User string
	// Other is the path of a file of the user that other programs write, in the same format. It is
	// only read, and a server in User takes the place of one in it. Empty: there is none.
	Other string
	// Trusted reports whether the user trusts a folder.
	Trusted func(folder string) (bool, error)
	// Resolve returns an absolute path with its links resolved; "" if that fails.
	Resolve func(path string) string
	// Environ returns the variables that files can refer to, in the form of os.Environ.
	Environ func() []string

	changing sync.Mutex // held while the user's file is changed
}

// projectFiles are the files of a project, and the field of each that has the servers. Those of the
// first count if both name a server. Source: https://code.claude.com/docs/en/mcp and
// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
var projectFiles = []struct{ name, field string }{{".mcp.json", fieldServers}, {".vscode/mcp.json", "servers"}}

// The fields of the user's file. Other fields are kept as they are.
const (
	fieldServers  = "mcpServers"
	fieldDisabled = "disabledMcpServers"
)

// maxFile bounds a file, in bytes.
const maxFile = 1 << 20

// Found is a server in a file.
type Found struct {
	Name     string
	Config   json.RawMessage // with the values of the variables that the file refers to
	Source   string          // "user" or "workspace"
	Disabled bool
}

// Users returns the servers of the user, as they are in the file, and the names of those that are
// disabled.
func (f *Files) Users() (servers map[string]json.RawMessage, disabled []string, err error) {
	if f.User == "" {
		return map[string]json.RawMessage{}, nil, nil
	}
	text, err := f.read(f.User)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]json.RawMessage{}, nil, nil
	}
	if err != nil {
		return nil, nil, vfs.Failure("mcp.config", f.User, err)
	}
	d, err := readDocument(text)
	if err != nil {
		return nil, nil, f.damaged(err)
	}
	return d.servers, d.disabled, nil
}

// Put adds a server to the user's file, or replaces it if add is false. [fault.Conflict] if the
// server to add is there, [fault.NotFound] if the one to replace is not.
func (f *Files) Put(name string, config json.RawMessage, add bool) error {
	if _, err := parse(name, config); err != nil || name == "" {
		return errors.Join(err, emptyName(name))
	}
	if err := checkName(name); err != nil {
		return err
	}
	return f.change(func(d *document) error {
		switch _, known := d.servers[name]; {
		case known && add:
			return fault.New(fault.Conflict, "mcp.config.add", name, "an MCP server with this name is configured")
		case !known && !add:
			return fault.New(fault.NotFound, "mcp.config.update", name, "MCP server %q is not configured", name)
		}
		d.servers[name] = config
		return nil
	})
}

func emptyName(name string) error {
	if name == "" {
		return fault.New(fault.Invalid, "mcp.config", "", "name is missing")
	}
	return nil
}

// Remove removes a server from the user's file. [fault.NotFound] if it is not there.
func (f *Files) Remove(name string) error {
	return f.change(func(d *document) error {
		if _, known := d.servers[name]; !known {
			return fault.New(fault.NotFound, "mcp.config.remove", name, "MCP server %q is not configured", name)
		}
		delete(d.servers, name)
		d.disabled = slices.DeleteFunc(d.disabled, func(n string) bool { return n == name })
		return nil
	})
}

// Disable disables servers of the user, or enables them if off is false.
func (f *Files) Disable(names []string, off bool) error {
	return f.change(func(d *document) error {
		d.disabled = slices.DeleteFunc(d.disabled, func(n string) bool { return slices.Contains(names, n) })
		if off {
			d.disabled = append(d.disabled, names...)
		}
		return nil
	})
}

// Find returns the servers of the user, and those of a project if the user trusts its folder. A
// server of the project takes the place of one of the user. problems says which files cannot be
// read.
func (f *Files) Find(folder string) (found []Found, problems []string) {
	all := map[string]Found{}
	if f.Other != "" && f.Other != f.User {
		if why := f.add(all, f.Other, fieldServers, "user"); why != "" {
			problems = append(problems, why)
		}
	}
	servers, disabled, err := f.Users()
	if err != nil {
		problems = append(problems, fault.Message(err))
	}
	for name, config := range servers {
		all[name] = Found{Name: name, Config: config, Source: "user", Disabled: slices.Contains(disabled, name)}
	}
	if trusted, err := f.Trusted(folder); folder != "" && err == nil && trusted {
		for i := len(projectFiles) - 1; i >= 0; i-- {
			path := filepath.Join(folder, filepath.FromSlash(projectFiles[i].name))
			if !(permit.Folders{Primary: f.Resolve(folder)}).Contains(f.Resolve(path)) { // only that folder is trusted
				problems = append(problems, path+" is left out: it is a link that leads out of the project")
				continue
			}
			if why := f.add(all, path, projectFiles[i].field, "workspace"); why != "" {
				problems = append(problems, why)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		one := all[name]
		if one.Config, err = f.expand(one.Config, folder); err != nil {
			problems = append(problems, "MCP server "+name+" is left out: "+err.Error())
			continue
		}
		found = append(found, one)
	}
	return found, problems
}

// add adds the servers of one file, and returns why it cannot be read.
func (f *Files) add(all map[string]Found, path, field, source string) (problem string) {
	text, err := f.read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	var fields map[string]json.RawMessage
	if err == nil {
		err = fault.DecodeObject(text, &fields)
	}
	var servers map[string]json.RawMessage
	if err == nil && fields[field] != nil {
		err = json.Unmarshal(fields[field], &servers)
	}
	if err != nil {
		return fmt.Sprintf("%s cannot be read, so its MCP servers are not started: %v", path, fault.JSON(err))
	}
	for name, config := range servers {
		all[name] = Found{Name: name, Config: config, Source: source}
	}
	return ""
}

func (f *Files) read(path string) ([]byte, error) {
	info, err := f.FS.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("it is not a file of at most %d KiB", maxFile>>10)
	}
	return f.FS.ReadFile(path)
}

// reference is a variable in a file: ${NAME}, ${NAME:-default}, ${env:NAME}, ${workspaceFolder}.
var reference = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}]*)\}`) }}

// expand replaces the variables in a configuration by their values.
func (f *Files) expand(config json.RawMessage, folder string) (json.RawMessage, error) {
	if !strings.Contains(string(config), "${") {
		return config, nil
	}
	var fields any
	if err := json.Unmarshal(config, &fields); err != nil {
		return config, nil // the error is that of the server
	}
	var missing error
	environ, left := f.Environ(), maxFile
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return reference.Get().ReplaceAllStringFunc(v, func(found string) string {
				text, ok := value(environ, found[2:len(found)-1], folder)
				if !ok {
					missing = fmt.Errorf("%s has no value here", fault.Bounded(found))
				}
				if left -= len(text); left < 0 { // a file can name a long variable very often
					missing, text = tooLong(), ""
				}
				return text
			})
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for key := range v {
				v[key] = walk(v[key])
			}
		}
		return v
	}
	expanded, err := json.Marshal(walk(fields))
	return expanded, errors.Join(missing, err)
}

func tooLong() error {
	return fmt.Errorf("with the values of its variables it has more than %d KiB", maxFile>>10)
}

// value returns the value of a variable.
func value(environ []string, name, folder string) (text string, ok bool) {
	if name == "workspaceFolder" {
		return folder, folder != ""
	}
	name, otherwise, optional := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
	for _, v := range slices.Backward(environ) {
		if value, found := strings.CutPrefix(v, name+"="); found {
			return value, true
		}
	}
	return otherwise, optional
}

// document is the user's file.
type document struct {
	fields   map[string]json.RawMessage
	servers  map[string]json.RawMessage
	disabled []string
}

func readDocument(text []byte) (*document, error) {
	d := &document{fields: map[string]json.RawMessage{}, servers: map[string]json.RawMessage{}}
	if len(text) == 0 {
		return d, nil
	}
	err := fault.DecodeObject(text, &d.fields)
	if err == nil && d.fields[fieldServers] != nil {
		err = json.Unmarshal(d.fields[fieldServers], &d.servers)
	}
	if err == nil && d.fields[fieldDisabled] != nil {
		err = json.Unmarshal(d.fields[fieldDisabled], &d.disabled)
	}
	if d.servers == nil { // the file has null
		d.servers = map[string]json.RawMessage{}
	}
	return d, err
}

func (d *document) write() ([]byte, error) {
	servers, err := json.Marshal(d.servers)
	if err != nil {
		return nil, err
	}
	d.fields[fieldServers] = servers
	delete(d.fields, fieldDisabled)
	if len(d.disabled) > 0 {
		if d.fields[fieldDisabled], err = json.Marshal(d.disabled); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(d.fields, "", "  ")
	return append(text, '\n'), err
}

// change changes the user's file. An error of f changes nothing.
func (f *Files) change(change func(*document) error) error {
	if f.User == "" {
		return fault.New(fault.Unavailable, "mcp.config", "", "this runtime has no folder for the user's configuration")
	}
	f.changing.Lock()
	defer f.changing.Unlock()
	err := vfs.Change(context.Background(), f.FS, f.User, func(now []byte) ([]byte, error) {
		d, err := readDocument(now)
		if err != nil {
			return nil, f.damaged(err)
		}
		if err := change(d); err != nil {
			return nil, err
		}
		return d.write()
	})
	if known := new(fault.Error); err == nil || errors.As(err, &known) {
		return err
	}
	return vfs.Failure("mcp.config", f.User, err)
}

func (f *Files) damaged(err error) error {
	return &fault.Error{Op: "mcp.config", On: f.User, Kind: fault.Invalid, Err: fault.JSON(err), Hint: "repair the file, or remove it"}
}
