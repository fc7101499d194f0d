package chat

import (
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
// offered, the answer ends with them, each is of a tool that was offered, they do not stand in a
// fenced block of code, and the server has sent no calls itself. A fenced block is a call only if it
// is the whole answer; see [merger.fencedCall]. textcalls.go reads the forms of calls.

// The tags of reasoning, as Qwen, DeepSeek and others write them.
const thinkStart, thinkEnd = "<think>", "</think>"

// textReader reads the text of one choice.
type textReader struct {
	phase phase
	held  string          // text that may be the beginning of a tag
	blank string          // white space before the reasoning
	calls strings.Builder // calls, or text that looks so
	spoke bool            // a part of the text was passed on
	fence fence           // whether the text that was passed on is in a fenced block
}

type phase uint8

const (
	beginning phase = iota // nothing but white space has come
	thinking
	answering // after the reasoning, before any text
	speaking
	calling // all that comes is a call, or several, or text that looks so
	fenced  // all that comes is a call in a fenced block, or text that looks so
)

// read takes a piece of text.
func (m *merger) read(b *branch, piece string) {
	if piece == "" {
		return
	}
	t := &b.reader
	if t.phase == speaking && t.held == "" && (!m.offered() || t.spoke && strings.IndexByte(piece, '<') < 0 && strings.IndexByte(piece, '[') < 0) {
		m.say(b, piece) // nearly always
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
		return m.speak(b, piece)
	}
	t.calls.WriteString(piece)
	m.size += len(piece)
	if m.emit != nil {
		m.emit(model.Delta{Kind: model.DeltaHeld, Text: piece})
	}
	return ""
}

// speak is step for the text of the answer: it passes text on up to what may be a call.
func (m *merger) speak(b *branch, piece string) (rest string) {
	t := &b.reader
	if !m.offered() {
		m.say(b, piece)
		return ""
	}
	if !t.spoke && !m.formed {
		switch beginsFenced(piece) {
		case maybe:
			t.held = piece
			return ""
		case yes:
			t.phase = fenced
			return piece
		}
	}
	at, tag := firstTag(piece)
	if at < 0 {
		before, held := piece, ""
		for _, tag := range callTags {
			if text, end := splitAtTag(piece, tag); len(text) < len(before) {
				before, held = text, end
			}
		}
		m.say(b, before)
		t.held = held
		return ""
	}
	m.say(b, piece[:at])
	piece = piece[at:]
	begins := no
	if !t.fence.inside() {
		begins = m.beginsCall(piece)
	}
	switch begins {
	case maybe:
		t.held = piece
		return ""
	case yes:
		t.phase = calling
		return piece
	}
	m.say(b, tag)
	return piece[len(tag):]
}

// say passes on a part of the answer's text.
func (m *merger) say(b *branch, text string) {
	if text == "" {
		return
	}
	b.reader.spoke = true
	if m.offered() {
		b.reader.fence.read(text)
	}
	m.text(&b.text, model.DeltaText, text)
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
	return slices.Contains(m.wireNames(), name)
}

// whole reports whether the model has ended an answer by itself.
func (m *merger) whole(b *branch) bool {
	if b.finish == "" {
		return m.ended
	}
	return finishes.Get().Of(b.finish).Complete()
}

// endText passes on what the readers hold, as calls if it is some, at the end of the answer.
func (m *merger) endText() {
	native := len(m.calls) > 0
	for _, b := range m.branches {
		t := &b.reader
		switch {
		case t.phase == thinking && b.finish != "length" && !native && !m.stopped:
			// The tag was never closed, so all of it may be the answer.
			m.text(&b.reasoning, model.DeltaReasoning, t.held)
			all := b.reasoning.String()
			b.reasoning.Reset()
			m.text(&b.text, model.DeltaText, t.blank+thinkStart+all)
		case t.phase == thinking:
			m.text(&b.reasoning, model.DeltaReasoning, t.held)
		case t.phase == calling, t.phase == fenced:
			var calls []fragment
			switch text := t.calls.String(); {
			case native, m.stopped:
			case t.phase == calling:
				calls = m.callsIn(text, m.whole(b))
			default:
				calls = m.fencedCall(text)
			}
			for i := range calls {
				m.fragment(b, &calls[i])
			}
			if calls == nil {
				m.text(&b.text, model.DeltaText, t.calls.String())
				break
			}
			m.head.CallsInText = true
			if b.finish == "stop" {
				b.finish = "tool_calls"
			}
		default:
			m.text(&b.text, model.DeltaText, t.held)
		}
		t.held = ""
	}
}
