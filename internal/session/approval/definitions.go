package approval

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// An approval of tools of an MCP server holds for the definitions that the server gave of them then: with another
// description, schema or annotation the user is asked again, and sees the difference. A rule that somebody has
// written holds for every definition.

// definitions are what the user has approved, by the rule, and then by the tool: both as they are written. A rule
// that is not in it holds for every definition.
type definitions map[string]map[string]seenTool

// seenTool is a definition of a tool that the user has approved. The texts are shortened.
type seenTool struct {
	Digest      string `json:"sha256"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema,omitempty"`
}

// longestSeen bounds each text of a definition that is kept to show how it differs, in bytes.
const longestSeen = 600

// seenIn returns the definitions that an approval of a request by rules is bound to; none if it is no tool of an
// MCP server. about is nil if the request is one from before a resume: then no definition is known, and the user
// is asked again.
func seenIn(rules []permit.Rule, kind permit.Kind, about *permit.Request) definitions {
	if kind != permit.MCP {
		return nil
	}
	seen := definitions{}
	for _, r := range rules {
		if r.Kind != permit.MCP && r.Kind != permit.CustomTool {
			continue
		}
		tools := map[string]seenTool{}
		if about != nil {
			for name, d := range about.Definitions {
				one := *about
				if name != about.ServerTool {
					one.ServerTool, one.Tool = name, ""
				}
				if r.Names(one) {
					tools[toolKey(one)] = seenTool{d.Digest, shortened(d.Description), shortened(d.Schema)}
				}
			}
		}
		seen[r.String()] = tools
	}
	return seen
}

func toolKey(q permit.Request) string { return permit.ServerRule(q.Server, q.ServerTool).String() }

func shortened(text string) string {
	if len(text) > longestSeen {
		return strings.ToValidUTF8(text[:longestSeen], "") + "…"
	}
	return text
}

// with returns the definitions with those of more in place of theirs.
func (s definitions) with(more definitions) definitions {
	if len(more) == 0 {
		return s
	}
	all := maps.Clone(s)
	if all == nil {
		all = definitions{}
	}
	maps.Copy(all, more)
	return all
}

// without returns the definitions but for those of rules.
func (s definitions) without(rules []permit.Rule) definitions {
	left := maps.Clone(s)
	maps.DeleteFunc(left, func(text string, _ map[string]seenTool) bool {
		return slices.ContainsFunc(rules, func(r permit.Rule) bool { return r.String() == text })
	})
	return left
}

// holding returns those of rules that hold for a request: all, unless it is about a tool of an MCP server with
// another definition than the one that was approved.
func (s definitions) holding(rules []permit.Rule, q *permit.Request) []permit.Rule {
	if q.Kind != permit.MCP || len(s) == 0 {
		return rules
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r permit.Rule) bool {
		tools, bound := s[r.String()]
		return bound && tools[toolKey(*q)].Digest != cmp.Or(q.Definitions[q.ServerTool].Digest, "unknown")
	})
}

// changed says how the definition of the tool of a request differs from the one that was approved with one of
// rules, in words for the user; "" if none of them was approved for it.
func (s definitions) changed(rules []permit.Rule, q *permit.Request) string {
	if q.Kind != permit.MCP {
		return ""
	}
	now := q.Definitions[q.ServerTool]
	for _, r := range rules {
		tools, bound := s[r.String()]
		if !bound || !r.Names(*q) {
			continue
		}
		before, known := tools[toolKey(*q)]
		switch {
		case !known && len(tools) > 0:
			return "you have approved " + r.String() + " before the server had this tool"
		case known && before.Digest != now.Digest:
			return "the server defines this tool otherwise than when you approved it" + before.differs(now)
		}
	}
	return ""
}

// differs says what is other now.
func (t seenTool) differs(now permit.Definition) string {
	text := ""
	for _, part := range []struct{ name, before, now string }{
		{"description", t.Description, shortened(now.Description)}, {"schema", t.Schema, shortened(now.Schema)},
	} {
		if part.before != part.now {
			before, now := apart(part.before, part.now)
			text += "; its " + part.name + " was: " + invisible.Show(before) + "; and is now: " + invisible.Show(now)
		}
	}
	if text == "" {
		return "; the difference is in its annotations, or behind the beginning of its description or schema"
	}
	return text
}

// apart returns two texts without most of what they begin with in common.
func apart(a, b string) (string, string) {
	const shown = 40
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if same -= shown; same <= 0 {
		return a, b
	}
	return "…" + strings.ToValidUTF8(a[same:], ""), "…" + strings.ToValidUTF8(b[same:], "")
}

// without returns the rules that are not among others.
func without(rules, others []permit.Rule) []permit.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r permit.Rule) bool { return slices.ContainsFunc(others, r.Same) })
}

// recorded is the event of a request, which says how the definition of its tool has changed.
func (r *ruling) recorded(id string, q *permit.Request, c *tool.Call) wire.Data {
	e := r.event(id, q, c)
	if r.changed == "" {
		return e
	}
	return wire.WithJSON(e, wire.FieldChanged, r.changed)
}
