package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// OpenAPI returns a schema that [Normalize] has returned in the part of OpenAPI 3.0 that Gemini's
// OpenAI-compatible API understands, which refuses keywords that it does not know. nil is returned
// for an object without properties, which it refuses, too: the tool is then sent without a schema.
// The limits that are left out go into descriptions.
//
// Source: zed-industries/zed#44875, #53919 and #59938; the type Schema of googleapis/go-genai
// v1.77.0.
func OpenAPI(normal json.RawMessage) json.RawMessage {
	o := opener{left: maxOpen}
	out := o.open(parse(normal), 0)
	if properties := out.member("properties"); properties == nil || len(properties.names) == 0 {
		return nil
	}
	return out.append(nil)
}

// maxOpen bounds the bytes of texts and names in the result: alternatives repeat what stands beside
// them. Schemas beyond the bound are those of any text.
const maxOpen = 512 << 10

// opener rewrites one schema.
type opener struct{ left int } // of maxOpen

// open returns one schema in the smaller language.
func (o *opener) open(in *node, level int) *node {
	if in.kind != object || level > maxDepth || o.left < 0 {
		return opaque()
	}
	if branches := in.member("anyOf"); branches == nil {
		if branches = in.member("oneOf"); branches != nil {
			return o.alternatives(in, branches.list, level)
		}
	} else {
		return o.alternatives(in, branches.list, level)
	}
	if all := in.member("allOf"); all != nil {
		in = joined(in, all.list)
	}
	types, null := typesOf(in)
	if len(types) > 1 {
		return o.types(in, types, null, level)
	}
	out := newObject()
	if len(types) == 0 {
		types = []string{"string"} // a type is needed; text can say anything
	}
	out.set("type", newText(types[0]))
	if null {
		out.set("nullable", &node{text: "true"})
	}
	for i, name := range in.names {
		o.keyword(out, name, in.list[i], types[0], level)
	}
	if types[0] == "array" && out.member("items") == nil {
		out.set("items", opaque())
	}
	properties := out.member("properties")
	if types[0] == "object" && (properties == nil || len(properties.names) == 0) {
		out.remove("properties")
		out.remove("required")
	}
	new(normalizer).required(out)
	return out
}

func opaque() *node {
	out := newObject()
	out.set("type", newText("string"))
	return out
}

// openKeyword adds what the smaller language has of a keyword.
func (o *opener) keyword(out *node, name string, value *node, kind string, level int) {
	o.left -= len(name)
	switch name {
	case "properties", "items":
	default:
		o.left -= len(value.text) + value.size
	}
	switch name {
	case "title", "minItems", "maxItems", "minLength", "maxLength", "pattern", "minimum", "maximum":
		out.set(name, value)
	case "description":
		describe(out, value.text) // behind what other keywords have added
	case "required":
		if kind == "object" {
			out.set(name, value)
		}
	case "format": // of strings, only two are known
		if kind != "string" || value.text == "date-time" || value.text == "enum" {
			out.set(name, value)
		}
	case "items":
		if kind == "array" {
			out.set(name, o.open(value, level+1))
		}
	case "properties":
		if kind != "object" {
			return
		}
		properties := newObject()
		for i, key := range value.names {
			o.left -= len(key)
			properties.names, properties.list = append(properties.names, key), append(properties.list, o.open(value.list[i], level+1))
		}
		out.set(name, properties)
	case "const":
		openEnum(out, []*node{value}, kind)
	case "enum":
		openEnum(out, value.list, kind)
	case "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "not":
		describe(out, name+": "+string(value.append(nil))+".")
	}
}

// openEnum adds the values that are allowed. Only strings can be listed; the description says
// others.
func openEnum(out *node, values []*node, kind string) {
	var texts []*node
	var shown []string
	for _, v := range values {
		if v.kind == str && v.text != "" { // empty values are refused
			texts = append(texts, v)
		}
		shown = append(shown, string(v.append(nil)))
	}
	if kind == "string" && len(texts) > 0 {
		out.set("enum", newList(texts...))
		return
	}
	describe(out, "One of: "+strings.Join(shown, ", ")+".")
}

// typesOf returns the types of a schema without null, and whether null is one. The types of
// a schema without the keyword follow from its other keywords.
func typesOf(in *node) (types []string, null bool) {
	known := in.member("type")
	switch {
	case known == nil:
	case known.kind == str:
		types = []string{known.text}
	default:
		types = namesIn(known)
	}
	null = slices.Contains(types, "null") || in.member("nullable").is("true")
	types = slices.DeleteFunc(types, func(t string) bool { return t == "null" })
	if len(types) > 0 {
		return types, null
	}
	switch {
	case in.member("properties") != nil:
		types = []string{"object"}
	case in.member("items") != nil:
		types = []string{"array"}
	}
	return types, null
}
