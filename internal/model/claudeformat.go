package model

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Claude models take a part of JSON Schema for the form of an answer, and their providers refuse the
// rest. Keywords that they do not take go into the description, where the model reads it; objects get no
// members but their properties, which answers to the schema may lack anyway.
// Source: platform.claude.com/docs/en/build-with-claude/structured-outputs ("JSON Schema
// limitations"), and schemautil.go of anthropic-sdk-go v1.84.0, which does the same.

// claudeKeywords are the keywords of a schema that they take.
var claudeKeywords = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	taken := map[string]bool{}
	for _, keyword := range []string{
		"$ref", "$defs", "definitions", "type", "anyOf", "allOf", "description", "title", "default", "const", "enum",
		"properties", "required", "additionalProperties", "items", "format", "minItems",
	} {
		taken[keyword] = true
	}
	return taken
}}

var claudeStrings = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

// claudeSchema is a schema as an object.
type claudeSchema map[string]json.RawMessage

// ClaudeFormat returns the schema of an answer in the form that Claude models take. A schema
// that is not a JSON object is returned as it is; the provider refuses it.
func ClaudeFormat(raw json.RawMessage) json.RawMessage {
	var n claudeSchema
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return raw
	}
	if n["$ref"] != nil { // which may have definitions beside it, and nothing else
		maps.DeleteFunc(n, func(keyword string, _ json.RawMessage) bool {
			return keyword != "$ref" && keyword != "$defs" && keyword != "definitions"
		})
	}
	if n["oneOf"] != nil && n["anyOf"] == nil {
		n["anyOf"] = n["oneOf"]
		delete(n, "oneOf")
	}
	for _, keyword := range []string{"$defs", "definitions", "properties"} {
		n.each(keyword)
	}
	for _, keyword := range []string{"anyOf", "allOf"} {
		n.list(keyword)
	}
	n.close()
	n.describe(n.untaken())
	return marshalled(n)
}

// each rewrites the schemas of a member that has them by name.
func (n claudeSchema) each(keyword string) {
	var children map[string]json.RawMessage
	if json.Unmarshal(n[keyword], &children) != nil || children == nil {
		return
	}
	for name, child := range children {
		children[name] = ClaudeFormat(child)
	}
	n[keyword] = marshalled(children)
}

// list rewrites the schemas of a member that is a list.
func (n claudeSchema) list(keyword string) {
	var children []json.RawMessage
	if json.Unmarshal(n[keyword], &children) != nil || children == nil {
		return
	}
	for i, child := range children {
		children[i] = ClaudeFormat(child)
	}
	n[keyword] = marshalled(children)
}

// close forbids further members of an object, which the provider insists on. An object without
// properties may have a schema of all of its members.
func (n claudeSchema) close() {
	if items := n["items"]; items != nil {
		n["items"] = ClaudeFormat(items)
	}
	if string(n["type"]) != `"object"` && n["properties"] == nil {
		return
	}
	rest := n["additionalProperties"]
	if n["properties"] == nil && len(rest) > 0 && rest[0] == '{' {
		n["additionalProperties"] = ClaudeFormat(rest)
		return
	}
	n["additionalProperties"] = json.RawMessage("false")
}

// untaken removes what the provider does not take, and returns it.
func (n claudeSchema) untaken() claudeSchema {
	left := claudeSchema{}
	for keyword, value := range n {
		var text string
		var number float64
		switch {
		case keyword == "format" && json.Unmarshal(value, &text) == nil && !slices.Contains(claudeStrings, text),
			keyword == "minItems" && (json.Unmarshal(value, &number) != nil || number != 0 && number != 1),
			!claudeKeywords.Get()[keyword]:
			left[keyword] = value
			delete(n, keyword)
		}
	}
	delete(left, "$schema")
	delete(left, "$id")
	return left
}

// describe adds keywords to the description.
func (n claudeSchema) describe(left claudeSchema) {
	if len(left) == 0 {
		return
	}
	var parts []string
	for _, keyword := range slices.Sorted(maps.Keys(left)) {
		parts = append(parts, keyword+": "+string(left[keyword]))
	}
	text := ""
	if json.Unmarshal(n["description"], &text) == nil && text != "" {
		text += "\n\n"
	}
	n["description"] = marshalled(text + "{" + strings.Join(parts, ", ") + "}")
}

// marshalled is for values that always marshal: texts, and JSON that was parsed before.
func marshalled(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
