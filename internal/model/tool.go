package model

import (
	"encoding/json"
	"fmt"
	"sync"
)

// Tool is a function offered to the model.
type Tool struct {
	Name        string
	Description string
	// Parameters is a JSON Schema; nil means the tool takes none.
	Parameters json.RawMessage

	encodings *encodings // nil: none are kept
}

// encodings are a tool's forms in requests, by the dialect they are for. Safe for
// concurrent use.
type encodings struct {
	mu sync.Mutex
	of map[string][]byte
}

// Encoded returns a tool that costs little to send again and again: each dialect
// encodes it once. The tool must not be changed afterwards. It fails if Parameters are
// not JSON.
func (t Tool) Encoded() (Tool, error) {
	if err := t.check(); err != nil {
		return t, err
	}
	t.encodings = &encodings{of: map[string][]byte{}}
	return t, nil
}

// AppendEncoding appends the tool's form in requests of a dialect, which encode appends
// to what it is given. Its errors are those of Parameters that are not JSON.
func (t *Tool) AppendEncoding(b []byte, dialect string, encode func([]byte, *Tool) []byte) ([]byte, error) {
	if t.encodings == nil {
		if err := t.check(); err != nil {
			return b, err
		}
		return encode(b, t), nil
	}
	t.encodings.mu.Lock()
	defer t.encodings.mu.Unlock()
	form := t.encodings.of[dialect]
	if form == nil {
		form = encode(nil, t)
		t.encodings.of[dialect] = form
	}
	return append(b, form...), nil
}

func (t *Tool) check() error {
	if len(t.Parameters) > 0 && !json.Valid(t.Parameters) {
		return fmt.Errorf("the parameters of the tool %s are not JSON", t.Name)
	}
	return nil
}
