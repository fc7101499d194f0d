package chat

import (
	"bytes"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// details are the pieces of reasoning_details of an answer, which go back to the provider as they
// came. A stream sends a piece in fragments, which have the same index and type.
// Source: openrouter.ai's page on reasoning tokens.
type details struct{ pieces []*detail }

// detail is one piece. Of its members only the texts are read.
type detail struct {
	index, kind string
	raw         json.RawMessage // the first fragment
	text        bytes.Buffer    // of all, if the piece has a text
	field       string          // that the text is in
	signature   string          // the last
}

// add takes a fragment and returns how many bytes are kept of it.
func (d *details) add(raw json.RawMessage) int {
	var f struct {
		Type      string          `json:"type"`
		Index     json.RawMessage `json:"index"`
		Text      *string         `json:"text"`
		Summary   *string         `json:"summary"`
		Signature string          `json:"signature"`
	}
	if len(d.pieces) >= maxCalls || !model.ValidButMistyped(json.Unmarshal(raw, &f)) || len(raw) == 0 || raw[0] != '{' {
		return 0
	}
	field, text := "", f.Text
	switch {
	case f.Text != nil:
		field = "text"
	case f.Summary != nil:
		field, text = "summary", f.Summary
	}
	if n := len(d.pieces); n > 0 {
		last := d.pieces[n-1]
		continues := last.kind == f.Type && last.index == string(f.Index) && last.index != ""
		if continues && (field == last.field && field != "" || field == "" && f.Signature != "") {
			if text != nil {
				last.text.WriteString(*text)
			}
			if f.Signature != "" {
				last.signature = f.Signature
			}
			return len(raw)
		}
	}
	p := &detail{index: string(f.Index), kind: f.Type, raw: bytes.Clone(raw), field: field, signature: f.Signature}
	if text != nil {
		p.text.WriteString(*text)
	}
	d.pieces = append(d.pieces, p)
	return len(raw)
}

// list returns the pieces as JSON; "" if there are none.
func (d *details) list() string {
	if len(d.pieces) == 0 {
		return ""
	}
	out := []byte{'['}
	for i, p := range d.pieces {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, p.whole()...)
	}
	return string(append(out, ']'))
}

// whole returns a piece with all of its text.
func (p *detail) whole() json.RawMessage {
	var members map[string]json.RawMessage
	if p.field == "" || json.Unmarshal(p.raw, &members) != nil {
		return p.raw
	}
	if text, err := json.Marshal(p.text.String()); err == nil {
		members[p.field] = text
	}
	if signature, err := json.Marshal(p.signature); err == nil && p.signature != "" {
		members["signature"] = signature
	}
	if raw, err := json.Marshal(members); err == nil {
		return raw
	}
	return p.raw
}
