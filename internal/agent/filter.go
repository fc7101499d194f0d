package agent

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Filter chooses the tools for a model. The zero value offers all.
//
// A pattern is a tool's name, "source:name" or, for all names with a beginning, "source:name*"; the source is "builtin", "custom"
// (tools of clients) or "mcp". "mcp:SERVER/TOOL" is a tool of an MCP server by the names that the server and the tool have
// themselves, also with a * at its end, and "mcp:SERVER/*" is all tools of the server. The names of Claude Code do the
// same: mcp__SERVER, mcp__SERVER__TOOL, and either with a * at its end.
type Filter struct {
	// Available lists patterns; nil offers all tools, an empty list none.
	Available []string
	// Excluded lists patterns that are never offered.
	Excluded []string
	// ExcludedWins applies Excluded to the tools in Available too. Otherwise a tool in
	// Available is offered even if it is excluded, which is the protocol's default.
	ExcludedWins bool
}

// Tool is a tool as patterns know it. Name is that by which models call it. Server is the MCP server of the tool and
// ServerTool its name there; both are "" if it has none.
type Tool struct{ Source, Name, Server, ServerTool string }

// Offers reports whether the filter offers a tool.
func (f Filter) Offers(t Tool) bool {
	listed := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, t) })
	}
	if f.Available != nil {
		return listed(f.Available) && (!f.ExcludedWins || !listed(f.Excluded))
	}
	return !listed(f.Excluded)
}

// WithoutList returns the filter of a tool that need not be in Available: it is offered unless it is excluded.
func (f Filter) WithoutList() Filter {
	if f.Available != nil && !f.ExcludedWins {
		return Filter{} // a list takes precedence over what is excluded
	}
	return Filter{Excluded: f.Excluded}
}

// matches reports whether a pattern matches a tool. The source of a tool is fixed when it is
// registered and is never read from its name, so the bare name "custom:x" also matches a
// tool that has exactly this name. A tool of a server with two names matches by either.
func matches(pattern string, t Tool) bool {
	if matchesNames(pattern, t) {
		return true
	}
	other := wire.OtherServerName(t.Server)
	return other != t.Server && matchesNames(pattern, Tool{t.Source, wire.OtherToolName(t.Server, t.Name), other, t.ServerTool})
}

func matchesNames(pattern string, t Tool) bool {
	if pattern == t.Name {
		return true
	}
	if named, ok := strings.CutPrefix(pattern, fact.ClaudeServer); ok && t.Server != "" {
		return matchesClaude(named, t)
	}
	from, only, ok := strings.Cut(pattern, ":")
	if !ok || from != t.Source {
		return false
	}
	if named, ok := strings.CutPrefix(only, t.Server+"/"); ok && t.Server != "" && isOrBegins(named, t.ServerTool) {
		return true
	}
	return isOrBegins(only, t.Name)
}

// matchesClaude is matches for what follows mcp__ in a name. Where the server ends in it is not known, because the names
// of servers and tools can have a __ themselves: whatever can be meant matches.
func matchesClaude(named string, t Tool) bool {
	whole := strings.TrimPrefix(fact.ClaudeServerTool(t.Server, t.ServerTool), fact.ClaudeServer)
	begin, all := strings.CutSuffix(named, "*")
	if begin = fact.ClaudeWord(begin); all {
		return strings.HasPrefix(whole, begin)
	}
	return begin == whole || begin == fact.ClaudeWord(t.Server)
}

// isOrBegins reports whether a name is the pattern or, if that ends with a *, begins with the rest of it.
func isOrBegins(pattern, name string) bool {
	begin, all := strings.CutSuffix(pattern, "*")
	return pattern == name || all && strings.HasPrefix(name, begin)
}
