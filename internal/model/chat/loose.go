package chat

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Servers without a parser for the model that they serve send its reasoning and its calls as text,
// between tags. A text reader recognises them. It never drops text: what turns out to be
// something else is passed on as the text that it is.
//
// Reasoning is recognised if the answer begins with its tag. Calls are recognised if tools were
// offered, the answer ends with them, each is of a tool that was offered, and the server has
// sent no calls itself.

// The tags, as Qwen, DeepSeek, Hermes and others write them.
const (
	thinkStart, thinkEnd = "<think>", "</think>"
	callStart, callEnd   = "<tool_call>", "</tool_call>"
)

// textReader reads the text of one choice.
type textReader struct {
	phase phase
	held  string          // text that may be the beginning of a tag
	blank string          // white space before the reasoning
	calls strings.Builder // calls, or text that looks so
}

type phase uint8

const (
	beginning phase = iota // nothing but white space has come
	thinking
	answering // after the reasoning, before any text
	speaking
	calling // all that comes is a call, or several, or text that looks so
)

// read takes a piece of text.
func (m *merger) read(b *branch, piece string) {
	if piece == "" {
		return
	}
	t := &b.reader
	if t.phase == speaking && t.held == "" && (!m.offered() || strings.IndexByte(piece, '<') < 0) {
		m.text(&b.text, model.DeltaText, piece) // nearly always
		return
	}
	m.size -= len(t.held)
	if t.held != "" {
		piece, t.held = t.held+piece, ""
	}
	for piece != "" {
		piece = m.step(b, piece)
	}
	m.size += len(t.held)
}

// maxBlank bounds the white space before reasoning, in bytes.
const maxBlank = 256

// step takes the beginning of a text, or holds all of it, and returns the rest.
func (m *merger) step(b *branch, piece string) (rest string) {
	t := &b.reader
	switch t.phase {
	case beginning:
		text := strings.TrimLeftFunc(piece, unicode.IsSpace)
		after, found := strings.CutPrefix(text, thinkStart)
		switch {
		case b.field != "": // the server has a field for reasoning
		case found:
			t.phase, t.blank = thinking, piece[:len(piece)-len(text)]
			return after
		case strings.HasPrefix(thinkStart, text) && len(piece) <= maxBlank:
			t.held = piece
			return ""
		}
		t.phase = speaking
		return piece
	case thinking:
		thought, after, found := strings.Cut(piece, thinkEnd)
		if !found {
			thought, t.held = splitAtTag(piece, thinkEnd)
		} else {
			t.phase = answering
		}
		m.text(&b.reasoning, model.DeltaReasoning, thought)
		return after
	case answering:
		if piece = strings.TrimLeftFunc(piece, unicode.IsSpace); piece != "" {
			t.phase = speaking
		}
		return piece
	case speaking:
		if !m.offered() {
			m.text(&b.text, model.DeltaText, piece)
			return ""
		}
		at := strings.Index(piece, callStart)
		if at < 0 {
			piece, t.held = splitAtTag(piece, callStart)
			m.text(&b.text, model.DeltaText, piece)
			return ""
		}
		m.text(&b.text, model.DeltaText, piece[:at])
		t.phase = calling
		return piece[at:]
	}
	t.calls.WriteString(piece)
	m.size += len(piece)
	return ""
}

// splitAtTag splits a text where its end may be the beginning of a tag.
func splitAtTag(text, tag string) (before, maybe string) {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return text[:len(text)-n], text[len(text)-n:]
		}
	}
	return text, ""
}

// offered reports whether calls may come as text.
func (m *merger) offered() bool { return len(m.tools) > 0 }

// offers reports whether a tool was offered under this name.
func (m *merger) offers(name string) bool {
	return slices.ContainsFunc(m.tools, func(t model.Tool) bool { return model.WireName(t.Name) == name })
}

// endText passes on what the readers hold, as calls if it is some, at the end of the answer.
func (m *merger) endText() {
	native := len(m.calls) > 0
	for _, b := range m.branches {
		t := &b.reader
		switch {
		case t.phase == thinking && b.finish != "length" && !native:
			// The tag was never closed, so all of it may be the answer.
			m.text(&b.reasoning, model.DeltaReasoning, t.held)
			all := b.reasoning.String()
			b.reasoning.Reset()
			m.text(&b.text, model.DeltaText, t.blank+thinkStart+all)
		case t.phase == thinking:
			m.text(&b.reasoning, model.DeltaReasoning, t.held)
		case t.phase == calling:
			var calls []fragment
			if !native {
				calls = m.callsIn(t.calls.String())
			}
			for i := range calls {
				m.fragment(b, &calls[i])
			}
			if calls == nil {
				m.text(&b.text, model.DeltaText, t.calls.String())
			} else if b.finish == "stop" {
				b.finish = "tool_calls"
			}
		default:
			m.text(&b.text, model.DeltaText, t.held)
		}
		t.held = ""
	}
}

// callsIn returns the calls that a text consists of; nil if it has anything else.
func (m *merger) callsIn(text string) (calls []fragment) {
	for text != "" {
		rest, found := strings.CutPrefix(text, callStart)
		if !found || len(calls) == maxCalls {
			return nil
		}
		body, rest, closed := strings.Cut(rest, callEnd) // the end of the last one may be missing: models stop there
		var c struct {
			Name       string          `json:"name"`
			Arguments  json.RawMessage `json:"arguments"`
			Parameters json.RawMessage `json:"parameters"`
		}
		if json.Unmarshal([]byte(body), &c) != nil || !m.offers(c.Name) || !closed && rest != "" {
			return nil
		}
		if c.Arguments == nil {
			c.Arguments = c.Parameters
		}
		calls = append(calls, fragment{Index: absent, Name: c.Name, Arguments: argumentText(c.Arguments), Whole: true})
		text = strings.TrimLeftFunc(rest, unicode.IsSpace)
	}
	return calls
}
