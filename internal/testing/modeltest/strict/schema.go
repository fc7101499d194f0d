package strict

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is a JSON Schema, as far as vendors check it.
type schema map[string]json.RawMessage

func schemaOf(raw json.RawMessage) (schema, bool) {
	var s schema
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return nil, false
	}
	return s, true
}

func (s schema) kind() string {
	text, _ := isText(s["type"])
	return text
}

// below calls visit for the schema and all schemas in it, with the path of each.
func (s schema) below(path string, visit func(path string, s schema) error) error {
	if err := visit(path, s); err != nil {
		return err
	}
	for _, member := range []string{"properties", "$defs", "definitions"} {
		var children map[string]json.RawMessage
		if json.Unmarshal(s[member], &children) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(children)) {
			if child, ok := schemaOf(children[name]); ok {
				if err := child.below(fmt.Sprintf("%s%s, %s, ", path, member, name), visit); err != nil {
					return err
				}
			}
		}
	}
	if items, ok := schemaOf(s["items"]); ok {
		if err := items.below(path+"items, ", visit); err != nil {
			return err
		}
	}
	for _, member := range []string{"anyOf", "oneOf", "allOf"} {
		var children []schema
		if json.Unmarshal(s[member], &children) != nil {
			continue
		}
		for i, child := range children {
			if err := child.below(fmt.Sprintf("%s%s, %d, ", path, member, i), visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// openAISchema checks the schema of a function, or of an answer.
// Source: developers.openai.com/api/docs/guides/structured-outputs ("Supported schemas"), and
// evalstate/fast-agent#143.
func openAISchema(raw json.RawMessage, strict bool) error {
	s, ok := schemaOf(raw)
	if !ok || s.kind() != "object" {
		return bad("schema must be a JSON Schema of 'type: \"object\"', got 'type: %q'.", s.kind())
	}
	for _, member := range []string{"anyOf", "oneOf", "allOf", "enum", "not"} {
		if s[member] != nil {
			return bad("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
		}
	}
	return s.below("", func(path string, s schema) error {
		switch {
		case s.kind() == "object" && s["properties"] == nil && (path == "" || strict):
			return bad("In context=(%s), object schema missing properties.", path)
		case s.kind() == "array" && s["items"] == nil:
			return bad("In context=(%s), array schema missing items.", path)
		case strict:
			return strictObject(path, s)
		}
		return nil
	})
}

func strictObject(path string, s schema) error {
	for _, member := range []string{"allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else", "uniqueItems", "patternProperties"} {
		if s[member] != nil {
			return bad("In context=(%s), '%s' is not permitted.", path, member)
		}
	}
	if s.kind() != "object" {
		return nil
	}
	if string(s["additionalProperties"]) != "false" {
		return bad("In context=(%s), 'additionalProperties' is required to be supplied and to be false.", path)
	}
	var properties map[string]json.RawMessage
	var required []string
	_ = json.Unmarshal(s["properties"], &properties) // those that are not there are missing
	_ = json.Unmarshal(s["required"], &required)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(required, name) {
			return bad("In context=(%s), 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", path, name)
		}
	}
	return nil
}

// anthropicFormat checks the schema of an answer of Anthropic's models.
// Source: platform.claude.com/docs/en/build-with-claude/structured-outputs ("JSON Schema
// limitations").
func anthropicFormat(raw json.RawMessage) error {
	s, ok := schemaOf(raw)
	if !ok {
		return bad("output_config.format.schema: Input should be a valid dictionary")
	}
	return s.below("", func(_ string, s schema) error {
		rest := string(s["additionalProperties"])
		dictionary := s["properties"] == nil && strings.HasPrefix(rest, "{") // anthropic-sdk-go sends it
		if s.kind() == "object" && rest != "false" && !dictionary {
			return bad("output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false")
		}
		for _, member := range []string{
			"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems", "uniqueItems", "patternProperties", "not", "oneOf",
		} {
			if s[member] != nil {
				return bad("output_config.format.schema: For '%s' type, property '%s' is not supported", s.kind(), member)
			}
		}
		return nil
	})
}
