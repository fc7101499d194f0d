package prompt

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// toolGroups are the names of tools and of groups of tools in files of agents, in lower case, with the tools of this
// program.
var toolGroups = lazy.Value[map[string][]string]{Make: func() map[string][]string {
	groups := map[string][]string{}
	for _, f := range fact.All() {
		for _, group := range f.Groups {
			groups[group] = append(groups[group], f.Name)
		}
	}
	for _, f := range fact.All() { // a tool by its own name, unless that is a name of several
		if name := strings.ToLower(f.Name); !f.Foreign && groups[name] == nil {
			groups[name] = []string{f.Name}
		}
	}
	return groups
}}

// claudeTools are tools of Claude Code, with ours, whose names in another case are groups of Copilot's. Source:
// https://code.claude.com/docs/en/tools-reference
var claudeTools = [][2]string{{"Write", fact.Create}, {"Edit", fact.Edit}, {"MultiEdit", fact.Edit}, {"NotebookEdit", fact.Edit}}

// withoutTool are tools of others, in lower case, for which this program has none.
var withoutTool = []string{"websearch", "lsp", "monitor", "toolsearch", "enterplanmode", "enterworktree", "exitworktree", "croncreate", "crondelete", "cronlist", "sendmessage", "teamcreate", "teamdelete"}

// tools sets the tools of an agent, and which it does not have. It reports false if it would have none of those that
// its file lists.
func (f *findingAgents) tools(d *agent.Definition, table map[string]any) bool {
	if !f.names(d.Path, "disallowedTools", table) {
		d.Tools = []string{}
		f.warn(d.Path, "disallowedTools cannot be read, so it has no tools")
	}
	for _, name := range list(table["disallowedTools"], commas) {
		patterns, problem := denied(name)
		d.ExcludedTools = append(d.ExcludedTools, patterns...)
		if problem != "" {
			f.warn(d.Path, "disallowedTools: %s: %s", oneLine(name, maxName), problem)
		}
	}
	value := table["tools"]
	if value == nil || d.Tools != nil { // what cannot be read is none
		return true
	}
	f.names(d.Path, "tools", table)
	names := list(value, commas)
	d.Tools = []string{}
	if slices.Contains(names, "*") {
		d.Tools = nil
		return true
	}
	for _, name := range names {
		patterns, problem := allowed(name)
		d.Tools = append(d.Tools, patterns...)
		if problem != "" {
			f.warn(d.Path, "tools: %s: %s", oneLine(name, maxName), problem)
		}
	}
	if len(names) > 0 && len(d.Tools) == 0 {
		f.fail(d.Path, "left out: none of its tools exists here: %s", oneLine(strings.Join(names, ", "), maxLine))
		return false
	}
	return true
}

// names reports whether a field is a text or a list of texts, and warns of what is neither.
func (f *findingAgents) names(path, field string, table map[string]any) (ok bool) {
	all, ok := table[field].([]any)
	if !ok {
		if _, ok = table[field].(string); !ok && table[field] != nil {
			f.warn(path, "%s: it is neither a text nor a list of names", field)
			return false
		}
		return true
	}
	for _, name := range all {
		if _, isText := name.(string); !isText {
			f.warn(path, "%s: %s is no name of a tool", field, oneLine(fmt.Sprint(name), maxName))
			ok = false
		}
	}
	return ok
}

// allowed returns the patterns of the tools that a name in tools means, and what is wrong with it.
func allowed(name string) (patterns []string, problem string) {
	base, _, limited := strings.Cut(name, "(")
	switch patterns, known := toolPatterns(strings.TrimSpace(base)); {
	case !known:
		return nil, "there is no such tool here, so it is left out"
	case !limited:
		return patterns, ""
	case slices.Contains(patterns, fact.Task):
		return patterns, "which agents it may start cannot be limited here, so it may start all of them"
	}
	return nil, "a tool cannot be limited here to some of its calls, so it is left out; write its name alone"
}

// denied is allowed for a name in disallowedTools. A part of a tool cannot be taken away, so all of it is.
func denied(name string) (patterns []string, problem string) {
	if name == "*" {
		return []string{"builtin:*", "mcp:*", "custom:*"}, ""
	}
	base, _, limited := strings.Cut(name, "(")
	patterns, known := toolPatterns(strings.TrimSpace(base))
	switch {
	case !known:
		return nil, "" // there is nothing to take away
	case strings.ContainsFunc(name, unicode.IsSpace) && !limited:
		return patterns, "no tool has this name; commas separate names"
	case limited:
		problem = "a part of a tool cannot be taken away here, so the agent does not have it at all"
	}
	return patterns, problem
}

// toolPatterns returns what a name stands for, as patterns of [agent.Filter]. known is false for tools that only other
// programs have. A name that nobody knows may be that of a tool of a client.
func toolPatterns(name string) (patterns []string, known bool) {
	if rest, ok := strings.CutPrefix(name, fact.ClaudeServer); ok {
		return []string{serverPattern(rest)}, true
	}
	for _, pair := range claudeTools {
		if name == pair[0] {
			return []string{pair[1]}, true
		}
	}
	lower := strings.ToLower(name)
	switch group, ok := toolGroups.Get()[lower]; {
	case ok:
		return group, true
	case name == "" || slices.Contains(withoutTool, lower):
		return nil, false
	case strings.Contains(name, "/"): // of an MCP server
		return []string{"mcp:" + name}, true
	}
	return []string{name}, true
}

// serverPattern is the pattern for what follows mcp__ in the name of a tool: a server, a server and a tool, or the
// beginning of names.
func serverPattern(rest string) string {
	server, _, _ := strings.Cut(rest, "__")
	switch {
	case strings.Trim(server, "*") == "": // of every server
		return "mcp:*"
	case strings.HasSuffix(rest, "__"), rest == server && !strings.HasSuffix(rest, "*"): // all of one server
		return fact.ClaudeServer + strings.TrimSuffix(rest, "__") + "__*"
	}
	return fact.ClaudeServer + rest
}
