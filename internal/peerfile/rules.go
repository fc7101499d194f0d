package peerfile

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// translation makes rules of this program of one rule of Claude Code. An allow rule never allows more than the
// original; one that denies or asks covers at least as much wherever that can be said: Bash(rm*) leaves out rmdir, which
// its warning says.
type translation struct {
	from  Origin
	allow bool
}

// nothing says why a rule has no effect.
func nothing(why string) ([]permit.Rule, string) { return nil, "has no effect: " + why }

// rule returns the rules for a text such as Bash(git push:*), and what is to be said about it, "" for nothing.
func (t translation) rule(text string) ([]permit.Rule, string) {
	name, argument, narrowed := strings.Cut(text, "(")
	if narrowed {
		var closed bool
		if argument, closed = strings.CutSuffix(argument, ")"); !closed {
			return nothing("the closing ) is missing")
		}
		if argument = strings.TrimSpace(argument); argument == "*" {
			argument = ""
		}
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		return t.server(rest, narrowed)
	}
	switch name {
	case "Bash", "PowerShell":
		return t.shell(argument)
	case "WebFetch":
		return t.address(argument)
	case "Read":
		return t.path(permit.Read, argument)
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		if t.allow && name != "Edit" {
			return nothing("a rule for it would allow all tools that edit files; write Edit")
		}
		return t.path(permit.Write, argument)
	case "Grep", "Glob", "LS", "NotebookRead":
		if t.allow || argument == "" {
			return nothing("there is no rule for this tool alone; write Read")
		}
		return t.path(permit.Read, argument)
	}
	return nothing("no rule of this program covers this tool")
}

// checked is a rule with a kind and an argument, checked.
func checked(kind permit.Kind, argument, remark string) ([]permit.Rule, string) {
	text := string(kind)
	if argument != "" {
		text += "(" + argument + ")"
	}
	r, err := permit.ParseRule(text)
	if err != nil {
		return nothing(fault.Message(err))
	}
	return []permit.Rule{r}, remark
}

// shell translates a pattern for commands.
func (t translation) shell(pattern string) ([]permit.Rule, string) {
	if rest, ok := strings.CutSuffix(pattern, " *"); ok {
		pattern = rest + ":*"
	}
	start, open := strings.CutSuffix(pattern, ":*")
	switch words := strings.Fields(start); {
	case pattern == "":
		return checked(permit.Shell, "", "")
	case strings.Contains(start, "*"):
		return t.wild(start)
	case open:
		return checked(permit.Shell, start+":*", "")
	case len(words) > 2:
		return checked(permit.Shell, start, "")
	case t.allow:
		return nothing("a rule for exactly this command would allow it with any arguments; to allow that, write " + start + ":*")
	}
	return checked(permit.Shell, start, "covers the command with any arguments here")
}

// wild translates a pattern with a * that is not a word at its end: what comes before it.
func (t translation) wild(pattern string) ([]permit.Rule, string) {
	before, after, _ := strings.Cut(pattern, "*")
	words := strings.Fields(before)
	if len(words) > 0 && after == "" {
		start := strings.Join(words, " ")
		return checked(permit.Shell, start+":*", "covers "+start+" with any arguments here, and no other command whose name begins with it")
	}
	if !strings.HasSuffix(before, " ") && len(words) > 0 {
		words = words[:len(words)-1]
	}
	if t.allow || len(words) == 0 {
		return nothing("a * can only be the last word of a command here")
	}
	start := strings.Join(words, " ")
	return checked(permit.Shell, start+":*", "covers every command that begins with "+start+" here")
}

// address translates a host.
func (t translation) address(argument string) ([]permit.Rule, string) {
	host, ok := strings.CutPrefix(argument, "domain:")
	switch {
	case argument == "" || host == "*":
		return checked(permit.URL, "", "")
	case !ok:
		return nothing("it is not domain:HOST")
	}
	rules, why := checked(permit.URL, host, "")
	if len(rules) > 0 && !t.allow {
		plain, _ := checked(permit.URL, "http://"+host, "")
		rules = append(rules, plain...)
	}
	return rules, why
}

// server translates the rest of mcp__SERVER__TOOL.
func (t translation) server(rest string, narrowed bool) ([]permit.Rule, string) {
	server, tool, _ := strings.Cut(rest, "__")
	remark := ""
	switch {
	case narrowed:
		return nothing("a rule for a tool of an MCP server has no argument")
	case server == "*" && t.allow:
		return nothing("a repository cannot allow the tools of every server")
	case server == "*":
		return checked(permit.MCP, "", "")
	case strings.Contains(server, "*"):
		return nothing("a server is named by its whole name")
	case tool == "*":
		tool = ""
	case strings.Contains(tool, "*") && t.allow:
		return nothing("a tool is named by its whole name")
	case strings.Contains(tool, "*"):
		tool, remark = "", "covers all tools of the server "+server+" here"
	}
	rules := []permit.Rule{permit.ServerRule(server, tool)}
	if !t.allow {
		rules = append(rules, longerServers(rest)...)
	}
	return rules, remark
}

// longerServers are the rules for the servers that the rest of mcp__SERVER__TOOL can mean as well, because the names of
// servers and tools can have a __ themselves.
func longerServers(rest string) (rules []permit.Rule) {
	words := strings.Split(rest, "__")
	for n := 2; n < len(words); n++ {
		tool := strings.Join(words[n:], "__")
		if strings.Contains(tool, "*") {
			tool = ""
		}
		rules = append(rules, permit.ServerRule(strings.Join(words[:n], "__"), tool))
	}
	return rules
}

// path translates a pattern in the form of gitignore to absolute ones.
func (t translation) path(kind permit.Kind, pattern string) (rules []permit.Rule, remark string) {
	if pattern == "" {
		return checked(kind, "", "")
	}
	if strings.HasPrefix(pattern, "!") {
		return nothing("a rule cannot make an exception with !")
	}
	patterns, ok := t.absolute(strings.TrimSuffix(pattern, "/"))
	if !ok {
		return nothing("it cannot be known where ~ leads")
	}
	kinds := []permit.Kind{kind}
	if kind == permit.Read && !t.allow { // what must not be read must not be changed either
		kinds = append(kinds, permit.Write)
	}
	for _, kind := range kinds {
		for _, p := range patterns {
			found, why := checked(kind, p, "")
			if why != "" {
				return nil, why
			}
			rules = append(rules, found...)
		}
	}
	return rules, ""
}

// absolute returns the absolute patterns for one: a name without a slash is meant in every folder.
func (t translation) absolute(pattern string) (list []string, ok bool) {
	project := permit.Literal(filepath.ToSlash(t.from.Project))
	switch rest, home := strings.CutPrefix(pattern, "~/"); {
	case home && t.from.Home == "":
		return nil, false
	case home:
		return []string{path.Join(permit.Literal(filepath.ToSlash(t.from.Home)), rest)}, true
	case strings.HasPrefix(pattern, "//"):
		return []string{path.Clean(pattern[1:])}, true
	case !strings.Contains(strings.TrimPrefix(pattern, "/"), "/") && !strings.HasPrefix(pattern, "/"):
		return []string{path.Join(project, pattern), path.Join(project, "**", pattern)}, true
	}
	return []string{path.Join(project, pattern)}, true
}
