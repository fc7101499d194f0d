package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/shellword"
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
	// Counts says which files of projects the user has agreed to.
	Counts projectfiles.Counts
	// Resolve returns an absolute path with its links resolved; "" if that fails.
	Resolve func(path string) string
	// Environ returns the variables that files can refer to, in the form of os.Environ.
	Environ func() []string

	changing sync.Mutex // held while the user's file is changed
}

// The fields of the user's file. Other fields are kept as they are.
const (
	fieldServers  = projectfiles.FieldServers
	fieldDisabled = "disabledMcpServers"
)

// maxFile bounds a file, in bytes, and maxFiles how many are read.
const (
	maxFile  = 1 << 20
	maxFiles = 64
)

// The sources of servers, named as in the events of the protocol.
const (
	sourceUser    = "user"
	sourceProject = "workspace"
)

// file is a file that may configure servers.
type file struct {
	path, field string // the field has the servers
	source      string
	readOnly    bool // other programs write it
}

// files returns the files for a project and a folder in it; project is "" for none. The servers of a file take the
// place of those of the same name in the files before it. Source of the names in projects:
// https://code.claude.com/docs/en/mcp and
// https://code.visualstudio.com/docs/copilot/reference/mcp-configuration
func (f *Files) files(project, cwd string) (all []file) {
	if f.Other != "" && f.Other != f.User {
		all = append(all, file{f.Other, fieldServers, sourceUser, true})
	}
	if f.User != "" {
		all = append(all, file{f.User, fieldServers, sourceUser, false})
	}
	if project == "" {
		return all
	}
	for _, e := range projectfiles.Of(projectfiles.Servers, projectfiles.Root) {
		all = append(all, file{e.Below(project), e.ServersField(), sourceProject, false}) // that of an editor
	}
	for _, folder := range projectfiles.Ancestors(project, cmp.Or(cwd, project)) {
		if len(all) >= maxFiles {
			break
		}
		for _, path := range projectfiles.Paths(projectfiles.Servers, projectfiles.Way, folder) {
			all = append(all, file{path, fieldServers, sourceProject, false})
		}
	}
	return all
}

// unread says why a file cannot be read.
func (f file) unread(err error) string {
	return fmt.Sprintf("%s cannot be read, so its MCP servers are not started: %v", f.path, fault.JSON(err))
}

// Found is a server in a file.
type Found struct {
	Name     string
	Config   json.RawMessage // with the values of the variables that the file refers to
	Written  json.RawMessage // as it is in the file
	Path     string          // of the file
	Source   string          // "user" or "workspace"
	Disabled bool
	// Why says why a session does not start the server, in words for the user; "": it does,
	// unless it is disabled.
	Why string
	// Untrusted means that Why is that the user does not trust the folder, or has not agreed to the file
	// as it is now or to a script that the server names.
	Untrusted bool
	replaced  bool // Why is that another one takes its place
	ofScript  bool // Why is about a file that this server names, and not about the file that it stands in
}

// Find returns the servers of the user, and those of a project if the user trusts its folder: in the root, and in the
// folders from there down to cwd, which is "" for the root. A
// server of the project takes the place of one of the user, and one nearer to cwd that of another. problems says which files cannot be
// read and which servers are left out.
func (f *Files) Find(project, cwd string) (found []Found, problems []string) {
	all, problems := f.All(project, cwd)
	untrusted := map[string]bool{}
	for _, one := range all {
		switch {
		case one.Why == "":
			found = append(found, one)
		case one.ofScript:
			problems = append(problems, "MCP server "+one.Name+" is left out: "+one.Why)
		case one.Untrusted && !untrusted[one.Path]:
			untrusted[one.Path] = true
			problems = append(problems, one.unstarted(project))
		case !one.Untrusted && !one.replaced:
			problems = append(problems, "MCP server "+one.Name+" is left out: "+one.Why)
		}
	}
	return found, problems
}

// unstarted says why the servers of an untrusted file are not started.
func (one Found) unstarted(folder string) string {
	if one.Why == notTrusted {
		return "The MCP servers in " + one.Path + " are not started, because the folder is not trusted; to trust it: sidestick trust " + shellword.Quote(folder)
	}
	return "The MCP servers in " + one.Path + " are not started: " + one.Why
}

// notTrusted is why the servers of a folder that the user does not trust are not started.
const notTrusted = "the folder is not trusted"

// All returns every server in the files of the user and of a project, where [Files.Find] looks for them, in the order of their names,
// also those that a session does not start. Of a name, the one that counts comes last. problems
// says which files cannot be read.
func (f *Files) All(folder, cwd string) (all []Found, problems []string) {
	for _, from := range f.files(folder, cwd) {
		if from.source == sourceProject && !f.inside(folder, from.path) { // only that folder is trusted
			problems = append(problems, from.path+" is left out: it is a link that leads out of the project")
			continue
		}
		d, err := f.load(from)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			problems = append(problems, from.unread(err))
			continue
		}
		var refused error
		if from.source == sourceProject {
			refused = f.Counts(from.path, d.digest)
		}
		for _, name := range slices.Sorted(maps.Keys(d.servers)) {
			one := Found{Name: name, Written: d.servers[name], Path: from.path, Source: from.source, Disabled: from.path == f.User && slices.Contains(d.disabled, name)}
			if one.Untrusted = refused != nil; one.Untrusted {
				one.Why = refused.Error()
			} else {
				replace(all, one)
			}
			all = append(all, one)
		}
	}
	for i := range all {
		var err error
		if all[i].Config, err = f.Expand(all[i].Written, folder); err != nil && all[i].Why == "" {
			all[i].Why = err.Error()
		}
		if all[i].Source == sourceProject && all[i].Why == "" {
			if err := f.CheckScripts(all[i].Config, folder); err != nil {
				all[i].Why, all[i].Untrusted, all[i].ofScript = err.Error(), true, true
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return all, problems
}

// replace notes that one takes the place of servers of its name that were found before.
func replace(all []Found, one Found) {
	for i := range all {
		if all[i].Name == one.Name && !all[i].Untrusted {
			all[i].Why, all[i].replaced = "the one in "+one.Path+" takes its place", true
		}
	}
}

// inside reports whether a file is in a folder, with links resolved.
func (f *Files) inside(folder, path string) bool {
	return (permit.Folders{Primary: f.Resolve(folder)}).Contains(f.Resolve(path))
}

// CheckScripts returns why the server of a project must not start: a file of the project that its configuration
// names is not as the user has agreed to.
func (f *Files) CheckScripts(config json.RawMessage, folder string) error {
	var values any
	if err := json.Unmarshal(config, &values); err != nil {
		return nil // the error is that of the server
	}
	return projectfiles.CheckScripts(f.FS, f.FS.OpenFile, f.Resolve, f.Counts, folder, nil, projectfiles.Strings(values)...)
}

// document is what a file says of servers.
type document struct {
	digest   string // of the text that it was read from
	servers  map[string]json.RawMessage
	disabled []string
	flat     bool // the servers are members of the file itself
}

// place is where the configuration of a server is in the file.
func (d *document) place(field, name string) []string {
	if d.flat {
		return []string{name}
	}
	return []string{field, name}
}

// load reads a file. The error is [fs.ErrNotExist] if there is none.
func (f *Files) load(from file) (document, error) {
	text, err := f.read(from.path)
	if err != nil {
		return document{}, err
	}
	d, err := readDocument(text, from.field)
	d.digest = projectfiles.Digest(text)
	return d, err
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

// readDocument reads the text of a file; field has the servers.
func readDocument(text []byte, field string) (document, error) {
	d := document{servers: map[string]json.RawMessage{}}
	plain := jsonc.Plain(text)
	if len(bytes.TrimSpace(plain)) == 0 {
		return d, nil
	}
	var fields map[string]json.RawMessage
	err := fault.DecodeObject(plain, &fields)
	if err == nil {
		d.servers, d.flat, err = projectfiles.ServersIn(fields, field)
	}
	if err == nil && fields[fieldDisabled] != nil {
		err = json.Unmarshal(fields[fieldDisabled], &d.disabled)
	}
	if d.servers == nil { // the file has null
		d.servers = map[string]json.RawMessage{}
	}
	return d, err
}

// Expand replaces the variables in a configuration by their values: ${NAME}, ${NAME:-default}, ${env:NAME} and
// ${workspaceFolder}. folder is the project.
func (f *Files) Expand(config json.RawMessage, folder string) (json.RawMessage, error) {
	if !strings.Contains(string(config), "${") {
		return config, nil
	}
	var fields any
	if err := json.Unmarshal(config, &fields); err != nil {
		return config, nil // the error is that of the server
	}
	var missing error
	environ, rest := f.Environ(), maxFile
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			return projectfiles.References(v, func(inside string) string {
				text, ok := value(environ, inside, folder)
				if !ok {
					found := "${" + inside + "}"
					missing = fmt.Errorf("%s has no value here", fault.Bounded(found))
					if strings.HasPrefix(found, "${input:") {
						missing = fmt.Errorf("%s is asked for by an editor only; write ${NAME}, for a variable of your environment", fault.Bounded(found))
					}
				}
				if rest -= len(text); rest < 0 { // a file can name a long variable very often
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
	name, otherwise, optional := projectfiles.Variable(name)
	for _, v := range slices.Backward(environ) {
		if value, found := strings.CutPrefix(v, name+"="); found {
			return value, true
		}
	}
	return otherwise, optional
}
