package anthropic

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Anthropic takes a part of JSON Schema for the form of an answer, and refuses the rest. What it
// does not take goes into the description, where the model reads it; the answers that are then
// possible without that are no fewer.
// Source: platform.claude.com/docs/en/build-with-claude/structured-outputs ("JSON Schema
// limitations"), and schemautil.go of anthropic-sdk-go v1.84.0, which does the same.

// formatKeywords are the keywords of a schema that it takes.
var formatKeywords = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	taken := map[string]bool{}
	for _, keyword := range []string{
		"$ref", "$defs", "definitions", "type", "anyOf", "allOf", "description", "title", "default", "const", "enum",
		"properties", "required", "additionalProperties", "items", "format", "minItems",
	} {
		taken[keyword] = true
	}
	return taken
}}

var stringFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}

// node is a schema as an object.
type node map[string]json.RawMessage

// answerSchema returns the schema of an answer in the form that Anthropic takes. What is no object
// is returned as it is; the provider refuses it.
func answerSchema(raw json.RawMessage) json.RawMessage {
	var n node
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
func (n node) each(keyword string) {
	var children map[string]json.RawMessage
	if json.Unmarshal(n[keyword], &children) != nil || children == nil {
		return
	}
	for name, child := range children {
		children[name] = answerSchema(child)
	}
	n[keyword] = marshalled(children)
}

// list rewrites the schemas of a member that is a list.
func (n node) list(keyword string) {
	var children []json.RawMessage
	if json.Unmarshal(n[keyword], &children) != nil || children == nil {
		return
	}
	for i, child := range children {
		children[i] = answerSchema(child)
	}
	n[keyword] = marshalled(children)
}

// close forbids further members of an object, which the provider insists on. An object without
// properties may have a schema of all of its members.
func (n node) close() {
	if items := n["items"]; items != nil {
		n["items"] = answerSchema(items)
	}
	if string(n["type"]) != `"object"` && n["properties"] == nil {
		return
	}
	rest := n["additionalProperties"]
	if n["properties"] == nil && len(rest) > 0 && rest[0] == '{' {
		n["additionalProperties"] = answerSchema(rest)
		return
	}
	n["additionalProperties"] = json.RawMessage("false")
}

// untaken removes what the provider does not take, and returns it.
func (n node) untaken() node {
	left := node{}
	for keyword, value := range n {
		var text string
		var number float64
		switch {
		case keyword == "format" && json.Unmarshal(value, &text) == nil && !slices.Contains(stringFormats, text),
			keyword == "minItems" && (json.Unmarshal(value, &number) != nil || number != 0 && number != 1),
			!formatKeywords.Get()[keyword]:
			left[keyword] = value
			delete(n, keyword)
		}
	}
	delete(left, "$schema")
	delete(left, "$id")
	return left
}

// describe adds keywords to the description.
func (n node) describe(left node) {
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
