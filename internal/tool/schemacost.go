package tool

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Bounds of one check of arguments. A schema comes from an MCP server or a client: one whose
// references go in a circle would end the process, because the library follows them on the
// stack, and one with alternatives of alternatives would take for ever.
const (
	maxSchemaDepth = 200      // levels of JSON. Schemas that are generated have twenty
	maxCheckDepth  = 2_000    // schemas inside each other, with those that references lead to
	maxCheckWork   = 64 << 20 // bytes of values that are looked at
	stepWork       = 256      // counted for each schema that a value is compared with
)

// checkable reports whether a value can be checked against a schema with bounded work. Both
// are decoded JSON. It is false for a schema whose references it does not follow: those that
// are no path from the root.
func checkable(schema, value any) bool {
	w := &work{root: schema, left: maxCheckWork}
	return w.schema(schema, value, 0)
}

// work counts what a check would do, by doing the same steps without comparing anything.
type work struct {
	root any
	left int
}

// schema counts the check of one value against one schema, with all alternatives. It reports
// false once that is too much.
func (w *work) schema(schema, value any, depth int) bool {
	if w.left -= stepWork; !w.reads(value) || depth > maxCheckDepth {
		return false
	}
	fields, _ := schema.(map[string]any) // true and false are schemas, too
	if depth > 0 && fields["$id"] != nil {
		return false // references in it would begin there
	}
	for key, part := range fields {
		if !w.keyword(key, part, value, depth+1) {
			return false
		}
	}
	return true
}

// reads counts the bytes of a value, which an error message repeats.
func (w *work) reads(value any) bool {
	switch v := value.(type) {
	case string:
		w.left -= len(v)
	case []any:
		for _, one := range v {
			if w.left--; !w.reads(one) {
				return false
			}
		}
	case map[string]any:
		for name, one := range v {
			if w.left -= len(name) + 1; !w.reads(one) {
				return false
			}
		}
	}
	return w.left >= 0
}

// keyword counts the check of a value against one keyword of a schema.
func (w *work) keyword(key string, part, value any, depth int) bool {
	switch key {
	case "$ref":
		target, ok := w.find(part)
		return ok && w.schema(target, value, depth)
	case "$dynamicRef", "$recursiveRef":
		return false
	case "not", "if", "then", "else":
		return w.schema(part, value, depth)
	case "allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies":
		return each(part, func(_ string, one any) bool { return w.schema(one, value, depth) })
	case "properties":
		values, _ := value.(map[string]any)
		return each(part, func(name string, one any) bool { return values[name] == nil || w.schema(one, values[name], depth) })
	case "patternProperties":
		return each(part, func(_ string, one any) bool { return w.all(one, value, depth) })
	case "prefixItems":
		return each(part, func(_ string, one any) bool { return w.all(one, value, depth) })
	case "items":
		if _, list := part.([]any); list {
			return each(part, func(_ string, one any) bool { return w.all(one, value, depth) })
		}
		return w.all(part, value, depth)
	case "additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems", "contains":
		return w.all(part, value, depth)
	case "propertyNames":
		values, _ := value.(map[string]any)
		return each(values, func(name string, _ any) bool { return w.schema(part, name, depth) })
	}
	return true
}

// all counts the check of everything in a value against one schema.
func (w *work) all(schema, value any, depth int) bool {
	return each(value, func(_ string, one any) bool { return w.schema(schema, one, depth) })
}

// each calls f with the members of an object or a list, until it returns false.
func each(of any, f func(name string, one any) bool) bool {
	switch v := of.(type) {
	case []any:
		for _, one := range v {
			if !f("", one) {
				return false
			}
		}
	case map[string]any:
		for name, one := range v {
			if !f(name, one) {
				return false
			}
		}
	}
	return true
}

// find returns what a reference leads to, if it is "#" and a path from the root.
func (w *work) find(ref any) (any, bool) {
	text, _ := ref.(string)
	path, here := strings.CutPrefix(text, "#")
	path, err := url.PathUnescape(path)
	if !here || err != nil || path != "" && path[0] != '/' {
		return nil, false
	}
	at := w.root
	for i, part := range strings.Split(path, "/") {
		if i == 0 {
			continue // before the first slash
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch v := at.(type) {
		case map[string]any:
			at = v[part]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n >= len(v) {
				return nil, false
			}
			at = v[n]
		}
		if at == nil {
			return nil, false
		}
	}
	return at, true
}

// plainOf returns a schema as decoded JSON, with the names of keywords as the standard spells
// them; nil if that fails.
func plainOf(schema *jsonschema.Schema) (plain any) {
	text, err := json.Marshal(schema)
	if err != nil || json.Unmarshal(text, &plain) != nil {
		return nil
	}
	return plain
}

// refers reports whether a decoded schema has a reference anywhere.
func refers(schema any) bool {
	fields, _ := schema.(map[string]any)
	for _, key := range []string{"$ref", "$dynamicRef"} {
		if _, ok := fields[key].(string); ok {
			return true
		}
	}
	return !each(schema, func(_ string, one any) bool { return !refers(one) })
}
