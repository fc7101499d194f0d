package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/jsonscan"
)

// Schema checks arguments. It compiles the definition's JSON Schema at the first
// call, not before: most tools of most sessions are never called. Safe for
// concurrent use.
type Schema struct {
	raw json.RawMessage

	once     sync.Once
	resolved *jsonschema.Resolved // nil if the schema cannot be used
	plain    any                  // the same schema, as decoded JSON
}

// NewSchema returns the checker of one definition.
func NewSchema(parameters json.RawMessage) *Schema { return &Schema{raw: parameters} }

// Arguments turns what the model sent into one compact JSON object that fits the
// schema, keys in the order the model chose. No arguments at all are {}. The
// error is written for the model, which can do better the next time.
//
// Models send null for an optional property that they leave out. If the schema does not allow that, the property
// is removed.
//
// Properties that the schema does not know are passed on, even if it forbids them:
// models add them, tools ignore them, and a turn spent on removing them helps nobody. If
// the schema itself is broken, refers to another document or in a circle, or would take too long to
// check, only an object is required: the tool can report the mistake to its author, and the
// session goes on.
func (s *Schema) Arguments(sent string) (json.RawMessage, error) {
	if strings.TrimSpace(sent) == "" {
		sent = "{}"
	}
	var value map[string]any
	if err := json.Unmarshal([]byte(sent), &value); err != nil || value == nil {
		return nil, fmt.Errorf("the arguments are not a JSON object: %w", describe(err))
	}
	if r := s.compile(); r != nil && checkable(s.plain, value) {
		err := r.Validate(value)
		if err != nil {
			if text := withoutNulls([]byte(sent), r.Schema(), value); text != nil && r.Validate(value) == nil {
				sent, err = string(text), nil
			}
		}
		if err != nil {
			return nil, fmt.Errorf("the arguments do not fit the tool's schema: %s", clean(err))
		}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(sent)); err != nil {
		return nil, err // cannot happen: it was decoded above
	}
	return compact.Bytes(), nil
}

// withoutNulls removes the optional properties that are null from arguments, in the text and in its value. It returns nil if there
// is none.
func withoutNulls(text []byte, schema *jsonschema.Schema, value map[string]any, path ...string) (rest []byte) {
	for name, one := range schema.Properties {
		sent, is := value[name]
		at := append(slices.Clone(path), name)
		switch inner, _ := sent.(map[string]any); {
		case inner != nil && one != nil:
			if next := withoutNulls(text, one, inner, at...); next != nil {
				text, rest = next, next
			}
		case is && sent == nil && !slices.Contains(schema.Required, name):
			next, err := jsonc.Remove(text, at...)
			if err != nil {
				return nil // it is not sent as it is
			}
			text, rest = next, next
			delete(value, name)
		}
	}
	return rest
}

func (s *Schema) compile() *jsonschema.Resolved {
	s.once.Do(func() {
		if len(s.raw) == 0 || string(s.raw) == "null" || jsonscan.Deeper(s.raw, maxSchemaDepth) {
			return
		}
		var schema jsonschema.Schema
		if json.Unmarshal(open(s.raw), &schema) != nil {
			return
		}
		if r, err := schema.Resolve(nil); err == nil {
			s.resolved, s.plain = r, plainOf(&schema)
		}
	})
	return s.resolved
}

// open removes "additionalProperties": false from the root of a schema. Deeper down it
// stays, because it may be the only difference between two alternatives.
func open(schema json.RawMessage) json.RawMessage {
	var root map[string]json.RawMessage
	if json.Unmarshal(schema, &root) != nil || string(root["additionalProperties"]) != "false" {
		return schema
	}
	delete(root, "additionalProperties")
	opened, err := json.Marshal(root)
	if err != nil {
		return schema // cannot happen: it was decoded above
	}
	return opened
}

// describe names the value that came instead of an object.
func describe(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return errors.New("they are null")
	case errors.As(err, &syntax):
		return fmt.Errorf("%w at byte %d", err, syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("they are a JSON %s", kind.Value)
	}
	return err
}

// clean removes the validator's path through the root of the schema, which means nothing
// to a model.
func clean(err error) string {
	return fault.Bounded(strings.ReplaceAll(err.Error(), "validating root: ", ""))
}
