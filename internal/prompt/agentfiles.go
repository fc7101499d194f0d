package prompt

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// AgentSearch says where files that define agents are looked for. Paths are absolute and
// clean; an empty one is not searched.
type AgentSearch struct {
	Disk Disk
	// Root is the folder of a project, Cwd the working directory in it, and Home the folder of the user's
	// configuration. Without Cwd only the root is searched.
	Root, Cwd, Home string
	// Directories are folders that a client names, which are searched first. Their agents are Untrusted, and bring
	// no servers: nobody has looked at what the files start.
	Directories []string
	// Plugins are the folders of plugins.
	Plugins []string
	// Counts says which files of the project and of plugins the user has agreed to. The agent of one that does not
	// count is Untrusted, and takes the place of no other agent. nil: all count.
	Counts projectfiles.Counts
}

// Agents is the result of a search for agents.
type Agents struct {
	List []agent.Definition
	// Warnings are about parts of files that have no effect, Errors about files that define
	// no agent.
	Warnings, Errors []string
	// Changed are the files of the project whose content is not the one that the user has agreed to, each with the
	// reason.
	Changed []string
}

// Limits on the search for agents.
const (
	maxAgents    = 100      // in all
	maxAgentFile = 64 << 10 // bytes of a file
)

// AgentFolders returns the folders of a project that contain agents, the one for new agents
// first.
func AgentFolders(project string) []string {
	return projectfiles.Paths(projectfiles.Agents, projectfiles.Way, project)
}

// UserAgentFolders returns the folders of agents in the folder of the user's configuration, as
// [AgentFolders] does.
func UserAgentFolders(home string) []string {
	return projectfiles.Paths(projectfiles.Agents, projectfiles.Home, home)
}

// FindAgents reads agents: NAME.agent.md and NAME.md in Directories, then in the folders of the project from Cwd up to
// Root, then in Home/agents, then those of plugins. A file has front matter with a description, and the agent's
// instructions. Of two agents with the same name the first is used; one of the project that does not count comes after
// all others, and never has the name of a built-in one.
func FindAgents(s AgentSearch) Agents {
	f := findingAgents{AgentSearch: s}
	for _, dir := range s.Directories {
		f.folder(dir, "", agent.Named)
	}
	if s.Root != "" {
		folders := projectfiles.Ancestors(s.Root, cmp.Or(s.Cwd, s.Root))
		for _, at := range slices.Backward(folders) {
			for _, e := range projectfiles.Of(projectfiles.Agents, projectfiles.Way) {
				f.entry(e, at, s.Root, agent.Project)
			}
		}
	}
	if s.Home != "" {
		for _, dir := range UserAgentFolders(s.Home) {
			f.folder(dir, "", agent.User)
		}
	}
	for _, dir := range s.Plugins {
		for _, below := range projectfiles.Paths(projectfiles.Agents, projectfiles.Plugin, dir) {
			f.folder(below, dir, agent.Plugin)
		}
	}
	f.takeUntrusted()
	return f.found
}

// ParseAgent returns the agent in the content of a file; false if it defines none.
func ParseAgent(path string, content []byte) (agent.Definition, bool) {
	f := findingAgents{}
	c, err := textOf(content[:min(len(content), maxAgentFile)], int64(len(content)), maxAgentFile)
	if err != nil {
		return agent.Definition{}, false
	}
	return f.read(agentFile{path: path, text: c.text, source: agent.Project})
}

type findingAgents struct {
	AgentSearch
	fronts fronts
	looked int // names looked at so far, in folders that are searched with those in them
	found  Agents
	// untrusted are agents of the project that do not count.
	untrusted []agent.Definition
}

// agentFile is the content of one file. refused is why it does not count, nil if it does.
type agentFile struct {
	path, text string
	source     agent.Source
	refused    error
}

// name is that of the agent if its front matter has none.
func (file agentFile) name() string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file.path), ".md"), ".agent")
}

func (f *findingAgents) warn(path, format string, args ...any) {
	f.found.Warnings = append(f.found.Warnings, path+": "+fmt.Sprintf(format, args...))
}

func (f *findingAgents) fail(path, format string, args ...any) {
	f.found.Errors = append(f.found.Errors, path+": "+fmt.Sprintf(format, args...))
}

// entry reads the agents that an entry of the table stands for, in a folder.
func (f *findingAgents) entry(e projectfiles.Entry, at, within string, source agent.Source) {
	if strings.Contains(e.Path, "**") {
		f.tree(e.Below(at), within, source, 0)
	} else {
		f.folder(e.Below(at), within, source)
	}
}

// tree reads the agents of a folder and those below it. Links to folders are not followed.
func (f *findingAgents) tree(dir, within string, source agent.Source, depth int) {
	f.folder(dir, within, source)
	for _, e := range f.Disk.entries(dir) {
		if f.looked++; f.looked > maxEntries {
			return
		}
		switch {
		case !e.IsDir():
		case depth >= maxDepth:
			f.warn(filepath.Join(dir, e.Name()), "not searched, because it is too deep")
		default:
			f.tree(filepath.Join(dir, e.Name()), within, source, depth+1)
		}
	}
}

func (f *findingAgents) folder(dir, within string, source agent.Source) {
	for _, e := range f.Disk.entries(dir) {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || strings.HasPrefix(name, ".") || name == "README" || e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if len(f.found.List)+len(f.untrusted) >= maxAgents {
			f.warn(path, "left out with all that follow: there are more than %d agents", maxAgents)
			return
		}
		counts := f.Counts
		if source == agent.User || source == agent.Named {
			counts = nil
		}
		c, refused, err := f.Disk.readCounted(path, within, maxAgentFile, counts)
		if err != nil {
			f.fail(path, "%s", reason(err))
			continue
		}
		if c.cut {
			f.warn(path, "cut after %s", bytesShown(maxAgentFile))
		}
		if d, ok := f.read(agentFile{path, c.text, source, refused}); ok {
			f.take(d, refused)
		}
	}
}

// take adds an agent, unless there is one of that name. Those of the project that do not count are added last.
func (f *findingAgents) take(d agent.Definition, refused error) {
	d.Untrusted = refused != nil || d.Source == agent.Named
	if refused != nil && d.Source == agent.Project {
		if !errors.Is(refused, projectfiles.ErrUntrusted) {
			f.found.Changed = append(f.found.Changed, d.Path+": "+refused.Error())
		}
		f.untrusted = append(f.untrusted, d)
		return
	}
	f.add(d)
}

func (f *findingAgents) add(d agent.Definition) {
	if i := slices.IndexFunc(f.found.List, func(other agent.Definition) bool { return other.Name == d.Name }); i >= 0 {
		f.warn(d.Path, "left out: the agent %q is in %s already", d.Name, f.found.List[i].Path)
		return
	}
	f.found.List = append(f.found.List, d)
}

// takeUntrusted adds the agents of the project that do not count.
func (f *findingAgents) takeUntrusted() {
	for _, d := range f.untrusted {
		if slices.ContainsFunc(agent.Builtins(), func(own agent.Definition) bool { return readsAs(d.Name, own.Name) }) {
			f.warn(d.Path, "left out: it would take the place of the built-in agent of its name, %s, or would be taken for it, which needs trust in the folder", d.Name)
			continue
		}
		f.add(d)
	}
}

// readsAs reports whether a reader may take a name for that of a built-in agent: they are equal without regard to upper
// and lower case and to invisible characters, and a letter of another script stands for any letter.
func readsAs(name, own string) bool {
	letters := []rune(own)
	at, same := 0, 0
	for _, r := range name {
		switch {
		case invisible.Is(r):
			continue
		case at == len(letters):
			return false
		case unicode.ToLower(r) == unicode.ToLower(letters[at]):
			same++
		case r < unicode.MaxASCII:
			return false
		}
		at++
	}
	return at == len(letters) && same > 0
}

// read returns the agent of one file; false if it defines none.
func (f *findingAgents) read(file agentFile) (d agent.Definition, ok bool) {
	front, body := split(file.text)
	if front == "" && body == file.text && strings.HasPrefix(file.text, "---") {
		f.fail(file.path, "left out: front matter: it does not end, or the lines --- around it have more than that")
		return d, false
	}
	table, err := f.fronts.fields(front)
	if isRefused(err) {
		f.fail(file.path, "left out: front matter: %v", err)
		return d, false
	}
	if err != nil {
		f.warn(file.path, "front matter: %v", err)
	}
	d = agent.Definition{Name: file.name(), Prompt: strings.TrimSpace(body), Source: file.source, Path: file.path, Infer: true}
	if !f.identity(&d, table) {
		return d, false
	}
	d.Infer = truth(table["infer"], true) && !truth(table["disable-model-invocation"], false)
	d.Hidden = !truth(table["user-invocable"], true)
	d.Skills = list(table["skills"], commas)
	f.fields(&d, table)
	if err != nil {
		f.failClosed(&d, front, table)
	}
	f.servers(&d, table, file.refused)
	return d, f.tools(&d, table)
}

// identity sets the name and the description of an agent; false if the file defines none. Claude Code takes only
// files with both for agents, and its folder may have others.
func (f *findingAgents) identity(d *agent.Definition, table map[string]any) bool {
	given, _ := table["name"].(string)
	description, _ := table["description"].(string)
	given, d.Description = strings.TrimSpace(given), oneLine(description, maxDescription)
	ofClaude := slices.Contains(strings.Split(filepath.ToSlash(filepath.Dir(d.Path)), "/"), ".claude")
	if ofClaude && (given == "" || d.Description == "") {
		f.fail(d.Path, "left out: in .claude/agents an agent has a name and a description in its front matter")
		return false
	}
	if given != "" {
		if d.DisplayName = oneLine(given, maxName); isName(d.DisplayName) {
			d.Name, d.DisplayName = d.DisplayName, ""
		}
	}
	if !isName(d.Name) {
		f.fail(d.Path, "%q is not a name for an agent: letters, digits and -_.: only, at most %d", oneLine(d.Name, maxName), maxName)
		return false
	}
	if d.Description == "" {
		f.warn(d.Path, "it has no description, so the model can only guess when to use it")
	}
	return true
}
