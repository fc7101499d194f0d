package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonscan"
)

// AnswerSchema checks answers of a model that are JSON. It is safe for concurrent use.
type AnswerSchema struct {
	resolved *jsonschema.Resolved
	plain    any // the same schema, as decoded JSON
}

// NewAnswerSchema reads a JSON schema that a user has written. Unlike a [Schema], which helps a model to call a tool, it
// takes a schema as it is, or not at all: the error says why it cannot be used.
func NewAnswerSchema(raw json.RawMessage) (*AnswerSchema, error) {
	invalid := func(err error) error { return &fault.Error{Op: "schema", Kind: fault.Invalid, Err: err} }
	if jsonscan.Deeper(raw, maxSchemaDepth) {
		return nil, invalid(errors.New("it is nested too deeply"))
	}
	var object map[string]json.RawMessage
	if err := fault.DecodeObject(raw, &object); err != nil {
		return nil, invalid(fault.JSON(err))
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		return nil, invalid(fault.JSON(err))
	}
	plain := plainOf(&schema)
	if name := unknownType(plain); name != "" {
		return nil, invalid(fmt.Errorf("there is no type %q; the types are %s", fault.Bounded(name), strings.Join(schemaTypes, ", ")))
	}
	elsewhere := ""
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{Loader: func(at *url.URL) (*jsonschema.Schema, error) {
		elsewhere = at.String()
		return nil, errors.New("it is elsewhere")
	}})
	switch {
	case elsewhere != "":
		return nil, invalid(fmt.Errorf("its $ref is %q, and it may refer only to its own parts, as in #/$defs/x", fault.Bounded(elsewhere)))
	case err != nil:
		return nil, invalid(err)
	}
	return &AnswerSchema{resolved, plain}, nil
}

// schemaTypes are the types that a schema can name.
var schemaTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// valueKeys are the members of schemas that hold values or names, and no schemas.
var valueKeys = []string{"const", "default", "dependentRequired", "enum", "examples"}

// unknownType returns a type that a decoded schema names and that there is not, which no answer would fit; "" if there is
// none.
func unknownType(schema any) (name string) {
	fields, _ := schema.(map[string]any)
	named, several := fields["type"].([]any)
	if one, ok := fields["type"]; ok && !several {
		named = []any{one}
	}
	for _, one := range named {
		if text, ok := one.(string); ok && !slices.Contains(schemaTypes, text) {
			return text
		}
	}
	each(schema, func(key string, one any) bool {
		if !slices.Contains(valueKeys, key) {
			name = unknownType(one)
		}
		return name == ""
	})
	return name
}

// Check returns the JSON of an answer, compact, if it fits the schema. A code fence around all of it is left out. The
// error is written for the model, which can do better the next time.
func (s *AnswerSchema) Check(answer string) (json.RawMessage, error) {
	invalid := func(err error) error { return &fault.Error{Op: "schema", Kind: fault.Invalid, Err: err} }
	text := unfenced(strings.TrimSpace(answer))
	if text == "" {
		return nil, invalid(errors.New("the answer is empty"))
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, invalid(errors.New("the answer is not JSON: " + strings.TrimPrefix(fault.Message(fault.JSON(err)), "it is not JSON: ")))
	}
	if !checkable(s.plain, value) {
		return nil, invalid(errors.New("the schema and the answer together are too large to be compared"))
	}
	if err := s.resolved.Validate(value); err != nil {
		return nil, invalid(errors.New("the answer does not fit the schema: " + clean(err)))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return nil, invalid(err) // cannot happen: it was decoded above
	}
	return compact.Bytes(), nil
}

// unfenced is a text without the code fence around it.
func unfenced(text string) string {
	rest, fenced := strings.CutPrefix(text, "```")
	inner, closed := strings.CutSuffix(rest, "```")
	language, body, lines := strings.Cut(inner, "\n")
	if !fenced || !closed || !lines || strings.ContainsAny(language, "{[\"") {
		return text
	}
	return strings.TrimSpace(body)
}
