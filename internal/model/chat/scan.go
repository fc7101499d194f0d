package chat

import "github.com/sidestick-dev/sidestick/internal/jsonscan"

// chunkScanner reads the common shape of a data line into a chunk it reuses.
// One belongs to one stream; ids and model names, which every line repeats, cost
// nothing after the first.
type chunkScanner struct {
	jsonscan.Scanner
	out chunk
}

// scan returns the chunk data holds, valid until the next call, or false if data
// does not have the common shape; decodeChunk reads it then.
func (s *chunkScanner) scan(data []byte) (*chunk, bool) {
	s.Reset(data)
	s.out = chunk{ID: s.out.ID, Model: s.out.Model, Choices: s.out.Choices[:0]}
	var seen fields
	ok := s.Object(func(key []byte) bool { return s.chunkField(key, &seen) })
	if !seen.id {
		s.out.ID = ""
	}
	if !seen.model {
		s.out.Model = ""
	}
	return &s.out, ok && s.Done()
}

// fields remembers which keys an object had. A repeated key is left to encoding/json,
// which has its own rules for it.
type fields struct{ id, model, index, choices, delta, finish, name, text, calls, function, reasoning, opaque bool }

// once sets flag and reports whether it was unset before.
func once(flag *bool) bool {
	first := !*flag
	*flag = true
	return first
}

func (s *chunkScanner) chunkField(key []byte, seen *fields) bool {
	switch string(key) {
	case "id":
		return once(&seen.id) && s.text(&s.out.ID)
	case "model":
		return once(&seen.model) && s.text(&s.out.Model)
	case "choices":
		return once(&seen.choices) && s.Array(s.choice)
	case "usage", "error", "copilot_usage", "prompt_progress": // rare when not null
		return s.Word("null")
	case "object":
		kind, ok := s.Text()
		return ok && string(kind) != "error"
	}
	return s.Skip()
}

// choice takes one element of choices, reusing the memory of an earlier line's.
func (s *chunkScanner) choice() bool {
	n := len(s.out.Choices)
	if n < cap(s.out.Choices) {
		s.out.Choices = s.out.Choices[:n+1]
	} else {
		s.out.Choices = append(s.out.Choices, choice{})
	}
	c := &s.out.Choices[n]
	*c = choice{Index: absent, Calls: c.Calls[:0]}
	var seen fields
	return s.Object(func(key []byte) bool { return s.choiceField(key, c, &seen) })
}

func (s *chunkScanner) choiceField(key []byte, c *choice, seen *fields) bool {
	switch string(key) {
	case "index":
		return once(&seen.index) && s.position(&c.Index)
	case "finish_reason":
		return once(&seen.finish) && s.text(&c.Finish)
	case "delta":
		var in fields
		return once(&seen.delta) && s.Object(func(key []byte) bool { return s.deltaField(key, c, &in) })
	case "message": // whole answers are for the other path
		return false
	case "usage": // of one provider
		return s.Word("null")
	}
	return s.Skip()
}

func (s *chunkScanner) deltaField(key []byte, c *choice, seen *fields) bool {
	switch string(key) {
	case "content":
		return once(&seen.text) && s.text(&c.Text)
	case "reasoning_content", "reasoning", "reasoning_text": // two of them: the other path chooses
		if !once(&seen.reasoning) || !s.text(&c.Reasoning) {
			return false
		}
		if c.Reasoning != "" {
			c.Field = fieldOf(key)
		}
		return true
	case "reasoning_opaque":
		return once(&seen.opaque) && s.text(&c.Opaque)
	case "tool_calls":
		return once(&seen.calls) && (s.Word("null") || s.Array(func() bool { return s.call(c) }))
	case "refusal", "reasoning_details":
		return s.Word("null")
	}
	return s.Skip()
}

// fieldOf is a key of reasoningFields as a string that takes no memory of its own.
func fieldOf(key []byte) string {
	for _, f := range reasoningFields {
		if f == string(key) {
			return f
		}
	}
	return ""
}

func (s *chunkScanner) call(c *choice) bool {
	c.Calls = append(c.Calls, fragment{Index: absent})
	f := &c.Calls[len(c.Calls)-1]
	var seen fields
	return s.Object(func(key []byte) bool { return s.callField(key, f, &seen) })
}

func (s *chunkScanner) callField(key []byte, f *fragment, seen *fields) bool {
	switch string(key) {
	case "index":
		return once(&seen.index) && s.position(&f.Index)
	case "id":
		return once(&seen.id) && s.text(&f.ID)
	case "function":
		var in fields
		return once(&seen.function) && s.Object(func(key []byte) bool { return s.functionField(key, f, &in) })
	case "extra_content":
		return s.Word("null")
	}
	return s.Skip()
}

func (s *chunkScanner) functionField(key []byte, f *fragment, seen *fields) bool {
	switch string(key) {
	case "name":
		return once(&seen.name) && s.text(&f.Name)
	case "arguments":
		return once(&seen.text) && s.text(&f.Arguments)
	}
	return s.Skip()
}

// text takes a string or null into dst, without a copy if dst has it already.
func (s *chunkScanner) text(dst *string) bool {
	if s.Peek() == 'n' {
		*dst = ""
		return s.Word("null")
	}
	b, ok := s.Text()
	if ok && *dst != string(b) {
		*dst = string(b)
	}
	return ok
}

// position takes an index into dst.
func (s *chunkScanner) position(dst *int) bool {
	n, ok := s.Index()
	*dst = n
	return ok
}
