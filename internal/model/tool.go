package model

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/model/schema"
)

// Tool is a function offered to the model.
type Tool struct {
	// Name may be any text; see [WireName].
	Name        string
	Description string
	// Parameters is a JSON Schema; nil means the tool takes none.
	Parameters json.RawMessage

	encodings *encodings // nil: none are kept
}

// encodings are a tool's forms in requests, by the dialect they are for. Safe for
// concurrent use.
type encodings struct {
	parameters json.RawMessage // in the form that providers accept
	mu         sync.Mutex      // guards the rest
	of         map[string][]byte
}

// Encoded returns a tool that costs little to send again and again: its Parameters are brought
// once into the form that providers accept ([schema.Normalize]), and each dialect encodes it
// once. The tool must not be changed afterwards. The error says, in words for the user, why it cannot be sent.
func (t Tool) Encoded() (Tool, error) {
	parameters, err := schema.Normalize(t.Parameters)
	if err != nil {
		return t, err
	}
	t.encodings = &encodings{parameters: parameters, of: map[string][]byte{}}
	return t, nil
}

// form is the tool's form in requests of a dialect, which encode appends to what it is given. It is shared:
// nobody changes it.
func (t *Tool) form(dialect string, encode func([]byte, *Tool) []byte) ([]byte, error) {
	if t.encodings == nil {
		once, err := t.Encoded()
		if err != nil {
			return nil, fmt.Errorf("the tool %s cannot be sent: %w", t.Name, err)
		}
		return encode(nil, once.accepted()), nil
	}
	t.encodings.mu.Lock()
	defer t.encodings.mu.Unlock()
	form := t.encodings.of[dialect]
	if form == nil {
		form = slices.Clip(encode(nil, t.accepted()))
		t.encodings.of[dialect] = form
	}
	return form, nil
}

// accepted returns an encoded tool as providers accept it.
func (t *Tool) accepted() *Tool {
	return &Tool{Name: WireName(t.Name), Description: t.Description, Parameters: t.encodings.parameters}
}
