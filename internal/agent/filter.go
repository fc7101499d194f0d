package agent

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Filter chooses the tools for a model. The zero value offers all.
//
// A pattern is a tool's name, "source:name" or, for all names with a beginning, "source:name*"; the source is "builtin", "custom"
// (tools of clients) or "mcp". "mcp:SERVER/*" is all tools of one MCP server.
type Filter struct {
	// Available lists patterns; nil offers all tools, an empty list none.
	Available []string
	// Excluded lists patterns that are never offered.
	Excluded []string
	// ExcludedWins applies Excluded to the tools in Available too. Otherwise a tool in
	// Available is offered even if it is excluded, which is the protocol's default.
	ExcludedWins bool
}

// Offers reports whether the filter offers a tool. server is the MCP server of the tool; "" if it has
// none.
func (f Filter) Offers(source, name, server string) bool {
	listed := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, source, name, server) })
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
func matches(pattern, source, name, server string) bool {
	if matchesName(pattern, source, name, server) {
		return true
	}
	other := wire.OtherServerName(server)
	return other != server && matchesName(pattern, source, wire.OtherToolName(server, name), other)
}

func matchesName(pattern, source, name, server string) bool {
	if pattern == name {
		return true
	}
	from, only, ok := strings.Cut(pattern, ":")
	if begin, all := strings.CutSuffix(only, "*"); all && ok && from == source && strings.HasPrefix(name, begin) {
		return true
	}
	return ok && from == source && (only == name || server != "" && only == server+"/*")
}
