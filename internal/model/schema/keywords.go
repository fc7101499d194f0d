package schema

import (
	"strconv"
	"strings"
)

// use is what the value of a keyword is.
type use uint8

const (
	free      use = iota // anything; also of keywords that are not known
	dropped              // not sent
	aSchema              // a schema
	schemas              // a list of schemas
	schemaMap            // schemas by name
	aType                // the name of a type, or a list of them
	bound                // a number, or in old drafts a boolean that changes another bound
	text                 // a string
	aNumber
	positive // a number above 0
	count    // a number without sign and fraction
	truth    // true or false
	values   // a list of at least one value
	anyList
	nameList // a list of strings
	namesOf  // lists of strings by name
)

// useOf returns what the value of a keyword is. References and what they refer to are resolved
// before anything is sent, and the draft that a schema names need not be the one that it is then
// written in.
func useOf(keyword string) use {
	switch keyword {
	case "$schema", "$id", "$comment", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "$vocabulary",
		"$defs", "definitions", "dependencies", "additionalItems":
		return dropped
	case "items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return aSchema
	case "anyOf", "oneOf", "allOf", "prefixItems":
		return schemas
	case "properties", "patternProperties", "dependentSchemas":
		return schemaMap
	case "type":
		return aType
	case "exclusiveMinimum", "exclusiveMaximum":
		return bound
	case "title", "description", "pattern", "format", "contentEncoding", "contentMediaType":
		return text
	case "minimum", "maximum":
		return aNumber
	case "multipleOf":
		return positive
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return count
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		return truth
	case "enum":
		return values
	case "examples":
		return anyList
	case "required":
		return nameList
	case "dependentRequired":
		return namesOf
	}
	return free
}

// takesBool reports whether providers accept true and false where the keyword has a schema.
func takesBool(keyword string) bool {
	return keyword == "additionalProperties" || keyword == "unevaluatedProperties" || keyword == "unevaluatedItems"
}

// takes reports whether a keyword may have a value.
func (u use) takes(v *node) bool {
	switch u {
	case text:
		return v.kind == str
	case aNumber:
		return v.kind == number
	case positive:
		f, err := strconv.ParseFloat(v.text, 64)
		return v.kind == number && err == nil && f > 0
	case count:
		n, err := strconv.ParseUint(v.text, 10, 62)
		return v.kind == number && err == nil && strconv.FormatUint(n, 10) == v.text
	case truth:
		return v.is("true") || v.is("false")
	case values:
		return v.kind == list && len(v.list) > 0
	case anyList:
		return v.kind == list
	case nameList:
		return isNames(v)
	case namesOf:
		for _, names := range v.list {
			if !isNames(names) {
				return false
			}
		}
		return v.kind == object
	}
	return true
}

func isNames(v *node) bool {
	for _, name := range v.list {
		if name.kind != str {
			return false
		}
	}
	return v.kind == list
}

// types returns the names of types as JSON Schema has them; nil if there are none. Authors write
// them as their programming languages do.
func (n *normalizer) types(value *node) *node {
	if value.kind == str {
		name := typeName(value.text)
		if name == "" {
			return nil
		}
		n.changed = n.changed || name != value.text
		return newText(name)
	}
	out := newList()
	seen := map[string]bool{}
	for _, one := range value.list {
		name := typeName(one.text)
		if value.kind != list || one.kind != str || name == "" || seen[name] {
			n.changed = true
			continue
		}
		n.changed = n.changed || name != one.text
		seen[name] = true
		out.list = append(out.list, newText(name))
	}
	if len(out.list) == 0 {
		return nil
	}
	return out
}

// typeName returns a type of JSON Schema; "" if there is none of that name.
func typeName(name string) string {
	switch lower := strings.ToLower(name); lower {
	case "string", "number", "integer", "boolean", "array", "object", "null":
		return lower
	case "str", "text":
		return "string"
	case "int", "long":
		return "integer"
	case "float", "double", "decimal":
		return "number"
	case "bool":
		return "boolean"
	case "list", "tuple":
		return "array"
	case "dict", "map":
		return "object"
	}
	return ""
}

// bound returns an exclusive bound. In draft 4 it is true, and the number is the other bound.
func (n *normalizer) bound(out *node, name string, value *node) *node {
	if value.kind == number {
		return value
	}
	n.changed = true
	inclusive := strings.ToLower(strings.TrimPrefix(name, "exclusive"))
	if at := out.member(inclusive); at != nil && value.is("true") {
		out.remove(inclusive)
		return at
	}
	return nil
}
