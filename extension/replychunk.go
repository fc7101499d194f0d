package extension

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/jsonscan"
)

// Two readers take chunks, and FuzzChunk checks that they agree. chunkScanner is fast and
// takes chunks that contain only text, which are nearly all. reply.takeChunk takes every
// chunk and defines its meaning.

// chunkScanner reads chunks that contain only text. Each answer has its own.
type chunkScanner struct {
	jsonscan.Scanner
	text []byte
}

// scan returns the text of a chunk, valid until the next call. ok is false if data has
// anything besides text.
func (s *chunkScanner) scan(data []byte) ([]byte, bool) {
	s.Reset(data)
	s.text = s.text[:0]
	hasChoices := false
	ok := s.Object(func(key []byte) bool {
		switch {
		case string(key) == "choices":
			return once(&hasChoices) && s.Array(s.choice)
		case string(key) == "error" || len(key) >= 8 && string(key[:8]) == "copilot_":
			return s.Word("null")
		}
		return s.Skip()
	})
	return s.text, ok && hasChoices && s.Done()
}

// choice appends the text of one choice, if it is the first choice of the chunk.
func (s *chunkScanner) choice() bool {
	index, before := 0, len(s.text)
	var hasIndex, hasDelta bool
	ok := s.Object(func(key []byte) bool {
		switch string(key) {
		case "index":
			var ok bool
			index, ok = s.Index()
			return once(&hasIndex) && ok
		case "delta":
			return once(&hasDelta) && s.delta()
		case "finish_reason":
			return s.is("stop")
		case "message", "text":
			return s.Word("null")
		}
		return s.Skip()
	})
	if index != 0 {
		s.text = s.text[:before]
	}
	return ok
}

func (s *chunkScanner) delta() bool {
	hasContent := false
	return s.Object(func(key []byte) bool {
		switch string(key) {
		case "content":
			return once(&hasContent) && s.content()
		case "role":
			return s.is("assistant")
		case "tool_calls", "function_call", "refusal":
			return s.Word("null")
		}
		return s.Skip()
	})
}

func (s *chunkScanner) content() bool {
	if s.Peek() == 'n' {
		return s.Word("null")
	}
	text, ok := s.Text()
	s.text = append(s.text, text...)
	return ok
}

// is consumes null or the given string, and reports whether one of them was there.
func (s *chunkScanner) is(word string) bool {
	if s.Peek() == 'n' {
		return s.Word("null")
	}
	text, ok := s.Text()
	return ok && string(text) == word
}

// once sets flag and reports whether it was unset before.
func once(flag *bool) bool {
	first := !*flag
	*flag = true
	return first
}

// takeChunk reads a chunk, an object with choices. Only choices with index 0, or without an
// index, count.
func (p *reply) takeChunk(f fields) {
	p.judge.chunk(p, f)
	if f["choices"][0] != '[' {
		p.note(ruleChunk, "choices is %s, not a list", kindOf(f["choices"]))
		return
	}
	each(f["choices"], func(_, choice []byte) bool {
		if !isObject(choice) {
			p.note(ruleChunk, "a choice is %s, not an object", kindOf(choice))
			return true
		}
		p.takeChoice(fieldsOf(choice))
		return true
	})
}

func (p *reply) takeChoice(f fields) {
	switch index := f["index"]; {
	case isNull(index):
		p.note(ruleIndex, "a choice has no index")
	case kindOf(index) == "a number" && string(index) != "0":
		p.note(ruleChoice, "a choice has the index %s; only the first is shown", index)
		return
	}
	said := false
	if isObject(f["delta"]) {
		said = p.takePart(fieldsOf(f["delta"]))
	}
	if isObject(f["message"]) && !said {
		p.note(ruleDelta, "the text is in message, not in delta")
		said = p.takePart(fieldsOf(f["message"]))
	}
	if isString(f["text"]) && !said {
		p.note(ruleDelta, "the text is in text, not in delta")
		p.emitText(loose(f["text"]))
	}
	p.finish(f.text("finish_reason"))
}

// takePart reads a delta or a message, and reports whether it had content.
func (p *reply) takePart(f fields) bool {
	for _, name := range []string{"tool_calls", "function_call"} {
		if raw := f[name]; len(raw) > len("[]") && !isNull(raw) {
			p.note(ruleCalls, "The agent's model wants a tool to be called, which is for the agent to do; it is not done here.")
		}
	}
	role, content := f.text("role"), f["content"]
	p.judge.role(role)
	switch {
	case role == "function" && isString(content) && strings.HasPrefix(text(content), "["):
		p.note(ruleInline, "references are the content of the role function")
		p.takeNested("copilot_references", text(content))
		return true
	case !isNull(content) && !isString(content):
		p.note(ruleContent, "content is %s, not a string", kindOf(content))
	}
	said := contentOf(content) + f.text("refusal")
	p.emitText(said)
	return said != ""
}

// contentOf returns content as text for emitText: a string, or the joined texts of a list of
// parts.
func contentOf(raw []byte) string {
	if isString(raw) {
		return loose(raw)
	}
	var b strings.Builder
	if len(raw) > 0 && raw[0] == '[' {
		each(raw, func(_, part []byte) bool {
			if isString(part) {
				b.WriteString(text(part))
			} else if isObject(part) {
				b.WriteString(fieldsOf(part).text("text"))
			}
			return true
		})
	}
	return b.String()
}

// finish handles the finish_reason of a choice; "" means that more follows.
func (p *reply) finish(reason string) {
	p.judge.finish(p, reason)
	switch reason {
	case "length":
		p.note(ruleReason, "The answer is incomplete: the agent's model reached its limit.")
	case "content_filter":
		p.note(ruleReason, "The answer is incomplete: a filter of the agent's model stopped it.")
	case "error":
		p.note(ruleReason, "The answer is incomplete: the agent's model failed.")
	}
}
