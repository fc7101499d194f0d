package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// LeftOut is a tool that a server lists and the model is not offered.
type LeftOut struct {
	Name string `json:"name"` // without characters that are not seen
	Why  string `json:"why"`  // in words for the user
	// Wanted says that the configuration of the server leaves the tool out, or the server itself keeps
	// it for apps. Sessions do not warn of it.
	Wanted bool `json:"-"`
}

// listing is one reading of a server's tools: those that are offered, and the others.
type listing struct {
	tools   []*Tool
	omitted []LeftOut
	size    int             // bytes of the tools
	seen    map[string]bool // the names so far
	// definitions are what the server says of the tools, by their names
	definitions map[string]permit.Definition
}

// WarningLeftOut begins the warning about tools that are left out, after the name of the server. It names
// some of those that [Set.LeftOut] returns.
const WarningLeftOut = "these tools are left out: "

// maxNamed bounds the tools that a warning names.
const maxNamed = 10

// omit notes a tool that is left out.
func (l *listing) omit(tool string, wanted bool, format string, args ...any) {
	l.omitted = append(l.omitted, LeftOut{invisible.Show(tool[:min(len(tool), maxToolName)]), fmt.Sprintf(format, args...), wanted})
}

// warning says which tools are left out although neither the user nor the server asked for that; "" if none is.
func (l *listing) warning() string {
	var named []string
	count := 0
	for _, one := range l.omitted {
		if one.Wanted {
			continue
		}
		if count++; count <= maxNamed {
			named = append(named, fmt.Sprintf("%q (%s)", one.Name, one.Why))
		}
	}
	if count == 0 {
		return ""
	}
	text := WarningLeftOut + strings.Join(named, ", ")
	if more := count - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// LeftOut returns the tools of a server that is connected which the model is not offered, in the order
// of the server; nil if there is none, or no such server.
func (s *Set) LeftOut(server string) []LeftOut {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.named(server)
	if v == nil || v.connection == nil {
		return nil
	}
	omitted := slices.Clone(v.omitted)
	for _, t := range v.tools {
		if !t.shows("model") {
			omitted = append(omitted, LeftOut{Name: t.described.Name, Why: "the server has it for apps only", Wanted: true})
		}
	}
	return omitted
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

// objectSchema is the schema of arguments as models accept it: that of an object.
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
