package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
)

// leftOut notes which tools of a server are not offered because of what the server lists.
type leftOut struct {
	size  int      // bytes of the tools that are offered
	first []string // that are left out, with the reason
	count int
}

// maxNamed bounds the tools that a warning names.
const maxNamed = 10

// note notes a tool that is left out.
func (l *leftOut) note(tool, why string) {
	if l.count++; len(l.first) < maxNamed {
		l.first = append(l.first, fmt.Sprintf("%q (%s)", invisible.Show(tool[:min(len(tool), maxToolName)]), why))
	}
}

// warning says which tools are left out; "" if none is.
func (l *leftOut) warning() string {
	if l.count == 0 {
		return ""
	}
	text := "these tools are left out, with what stands against them: " + strings.Join(l.first, ", ")
	if more := l.count - len(l.first); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxWarnings bounds the warnings about one connection: they are recorded, and a server can cause
// them as often as it likes.
const maxWarnings = 10

// warn records a warning about the server, each once.
func (n *connection) warn(text string) {
	n.calls.Lock()
	again := text == "" || len(n.warned) >= maxWarnings || slices.Contains(n.warned, text)
	if !again {
		n.warned = append(n.warned, text)
	}
	n.calls.Unlock()
	if !again {
		n.server.set.opts.Host.Warn("MCP server " + n.server.name + ": " + text)
	}
}

// plainName reports whether a user can read a name, and a rule can hold it: without characters
// that are not seen, controls and parentheses.
func plainName(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool {
		return r == '(' || r == ')' || r == unicode.ReplacementChar || unicode.IsControl(r) || invisible.Is(r) || invisible.Space(r)
	}) < 0
}

// maxServerName bounds the name of a server, in bytes.
const maxServerName = 128

// checkName returns why a server cannot have a name.
func checkName(name string) error {
	if len(name) <= maxServerName && plainName(name) {
		return nil
	}
	return fault.New(fault.Invalid, "mcp.configure", fault.Bounded(invisible.Show(name)),
		"the name of a server has at most %d bytes, and no parentheses, controls or characters that nobody sees", maxServerName)
}

// levels returns how many objects and lists are inside each other in decoded JSON.
func levels(value any) int {
	deepest := 0
	switch v := value.(type) {
	case map[string]any:
		for _, one := range v {
			deepest = max(deepest, levels(one))
		}
	case []any:
		for _, one := range v {
			deepest = max(deepest, levels(one))
		}
	default:
		return 0
	}
	return deepest + 1
}

// objectSchema is the schema of arguments as models accept it: that of an object. One wrong
// schema would have the provider refuse every request of the session.
func objectSchema(listed any) json.RawMessage {
	fields, _ := listed.(map[string]any)
	if fields == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	fields["type"] = "object"
	if _, ok := fields["properties"].(map[string]any); !ok {
		fields["properties"] = map[string]any{}
	}
	if names, ok := fields["required"].([]any); fields["required"] != nil && (!ok || !texts(names)) {
		delete(fields, "required")
	}
	schema, err := json.Marshal(fields)
	if err != nil {
		return nil // cannot happen: it was decoded from JSON
	}
	return schema
}

func texts(list []any) bool {
	for _, one := range list {
		if _, ok := one.(string); !ok {
			return false
		}
	}
	return true
}
