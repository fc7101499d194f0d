package prompt

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// AgentSearch says where files that define agents are looked for. Paths are absolute and
// clean; an empty one is not searched.
type AgentSearch struct {
	Disk Disk
	// Root is the folder of a project, Home the folder of the user's configuration.
	Root, Home string
	// Directories are folders that a client names, which are searched first. Their agents are Untrusted, and bring
	// no servers: nobody has looked at what the files start.
	Directories []string
	// Plugins are the folders of plugins, whose folder "agents" is searched last.
	Plugins []string
	// Counts says which files of the project and of plugins the user has agreed to. One of the project
	// that does not count is left out, with a line in Refused; one of a plugin is Untrusted. nil: all count.
	Counts projectfiles.Counts
}

// Agents is the result of a search for agents.
type Agents struct {
	List []agent.Definition
	// Warnings are about parts of files that have no effect, Errors about files that define
	// no agent.
	Warnings, Errors []string
	// Refused are the files that do not count, each with the reason.
	Refused []string
}

// Limits on the search for agents.
const (
	maxAgents    = 100      // in all
	maxAgentFile = 64 << 10 // bytes of a file
)

// AgentFolders returns the folders of a project that contain agents, the one for new agents
// first.
func AgentFolders(project string) []string {
	return projectfiles.Paths(projectfiles.Agents, projectfiles.Root, project)
}

// UserAgentFolders returns the folders of agents in the folder of the user's configuration, as
// [AgentFolders] does.
func UserAgentFolders(home string) []string {
	return projectfiles.Paths(projectfiles.Agents, projectfiles.Home, home)
}

// FindAgents reads agents: NAME.agent.md and NAME.md in Directories, then in the project's folders, then in
// Home/agents, then those of plugins. A file has front matter with a description, and the agent's instructions. Of two
// agents with the same name the first is used.
func FindAgents(s AgentSearch) Agents {
	f := findingAgents{AgentSearch: s}
	for _, dir := range s.Directories {
		f.folder(dir, "", agent.Named)
	}
	if s.Root != "" {
		for _, dir := range AgentFolders(s.Root) {
			f.folder(dir, s.Root, agent.Project)
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
	return f.found
}

// ParseAgent returns the agent in the content of a file; false if it defines none.
func ParseAgent(path string, content []byte) (agent.Definition, bool) {
	f := findingAgents{}
	c, err := textOf(content[:min(len(content), maxAgentFile)], int64(len(content)), maxAgentFile)
	if err != nil {
		return agent.Definition{}, false
	}
	f.add(path, strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".md"), ".agent"), c.text, agent.Project)
	if len(f.found.List) == 0 {
		return agent.Definition{}, false
	}
	return f.found.List[0], true
}

type findingAgents struct {
	AgentSearch
	fronts fronts
	found  Agents
}

func (f *findingAgents) warn(path, format string, args ...any) {
	f.found.Warnings = append(f.found.Warnings, path+": "+fmt.Sprintf(format, args...))
}

func (f *findingAgents) fail(path, format string, args ...any) {
	f.found.Errors = append(f.found.Errors, path+": "+fmt.Sprintf(format, args...))
}

func (f *findingAgents) folder(dir, within string, source agent.Source) {
	for _, e := range f.Disk.entries(dir) {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || strings.HasPrefix(name, ".") || name == "README" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if len(f.found.List) >= maxAgents {
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
		if refused != nil && source == agent.Project {
			f.found.Refused = append(f.found.Refused, path+": "+refused.Error())
			continue
		}
		if c.cut {
			f.warn(path, "cut after %s", bytesShown(maxAgentFile))
		}
		before := len(f.found.List)
		if f.add(path, strings.TrimSuffix(name, ".agent"), c.text, source); len(f.found.List) > before {
			f.found.List[before].Untrusted = refused != nil || source == agent.Named
		}
	}
}

// add adds the agent of one file.
func (f *findingAgents) add(path, name, text string, source agent.Source) {
	front, body := split(text)
	if front == "" && body == text && strings.HasPrefix(text, "---") {
		f.fail(path, "left out: front matter: it does not end, or the lines --- around it have more than that")
		return
	}
	table, err := f.fronts.fields(front)
	if isRefused(err) {
		f.fail(path, "left out: front matter: %v", err)
		return
	}
	if err != nil {
		f.warn(path, "front matter: %v", err)
	}
	d := agent.Definition{Name: name, Prompt: strings.TrimSpace(body), Source: source, Path: path, Infer: true}
	if given, _ := table["name"].(string); strings.TrimSpace(given) != "" {
		if d.DisplayName = oneLine(given, maxName); isName(d.DisplayName) {
			d.Name, d.DisplayName = d.DisplayName, ""
		}
	}
	if !isName(d.Name) {
		f.fail(path, "%q is not a name for an agent: letters, digits and -_.: only, at most %d", oneLine(d.Name, maxName), maxName)
		return
	}
	if i := slices.IndexFunc(f.found.List, func(other agent.Definition) bool { return other.Name == d.Name }); i >= 0 {
		f.warn(path, "left out: the agent %q is in %s already", d.Name, f.found.List[i].Path)
		return
	}
	description, _ := table["description"].(string)
	if d.Description = oneLine(description, maxDescription); d.Description == "" {
		f.warn(path, "it has no description, so the model can only guess when to use it")
	}
	d.Model, _ = table["model"].(string)
	d.Infer = truth(table["infer"], true) && !truth(table["disable-model-invocation"], false)
	d.Hidden = !truth(table["user-invocable"], true)
	d.Skills = list(table["skills"], commas)
	f.tools(&d, table["tools"])
	if given := table["deferred-tool-loading"]; given != nil {
		if d.DeferTools = truth(given, false); !d.DeferTools && truth(given, true) {
			f.warn(path, "deferred-tool-loading is neither true nor false, and has no effect")
		}
	}
	if err != nil {
		f.failClosed(&d, front, table)
	}
	f.servers(&d, table["mcp-servers"])
	for _, key := range []string{"handoffs", "argument-hint", "target"} {
		if table[key] != nil {
			f.warn(path, "%s has no effect in this version", key)
		}
	}
	f.found.List = append(f.found.List, d)
}

// toolGroups are the names of groups of tools in files of agents, with the tools of this program.
var toolGroups = lazy.Value[map[string][]string]{Make: func() map[string][]string {
	groups := map[string][]string{}
	for _, f := range fact.All() {
		for _, group := range f.Groups {
			groups[group] = append(groups[group], f.Name)
		}
	}
	return groups
}}

// tools sets the tools of an agent. "*" is all of them.
func (f *findingAgents) tools(d *agent.Definition, value any) {
	if value == nil {
		return
	}
	d.Tools = []string{}
	for _, name := range list(value, commas) {
		switch group, ok := toolGroups.Get()[strings.ToLower(name)]; {
		case name == "*":
			d.Tools = nil
			return
		case ok:
			d.Tools = append(d.Tools, group...)
		case strings.HasSuffix(name, "/*"): // of an MCP server
			d.Tools = append(d.Tools, "mcp:"+name)
		default:
			d.Tools = append(d.Tools, strings.Replace(name, "/", "-", 1))
		}
	}
}

// failClosed takes from an agent whose front matter is no YAML what a field that cannot be read may
// have taken from it.
func (f *findingAgents) failClosed(d *agent.Definition, front string, table map[string]any) {
	if unread(front, table, "tools") {
		f.warn(d.Path, "its tools cannot be read, so it has none; correct the front matter")
		d.Tools = []string{}
	}
	if unread(front, table, "infer") || unread(front, table, "disable-model-invocation") {
		f.warn(d.Path, "it cannot be read whether the model may call it, so it may not; correct the front matter")
		d.Infer = false
	}
}

// servers sets the MCP servers that an agent brings. Source: GitHub's documentation of custom agents.
func (f *findingAgents) servers(d *agent.Definition, value any) {
	if value == nil {
		return
	}
	if d.Source == agent.Named {
		f.warn(d.Path, "mcp-servers has no effect in agentDirectories; send the servers with mcpServers or customAgents")
		return
	}
	list, ok := value.(map[string]any)
	if !ok {
		f.warn(d.Path, "mcp-servers is not a list of servers by name, and has no effect")
		return
	}
	for name, given := range list {
		config, err := json.Marshal(given)
		if err != nil || config[0] != '{' {
			f.warn(d.Path, "the MCP server %q has no configuration, and is left out", oneLine(name, maxName))
			continue
		}
		if d.MCPServers == nil {
			d.MCPServers = map[string]json.RawMessage{}
		}
		d.MCPServers[name] = config
	}
}
