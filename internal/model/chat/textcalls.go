package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// The forms in which models write calls, as their servers show them when they have no parser:
//
//   - <tool_call>{"name": …, "arguments": {…}}</tool_call>: Qwen 2.5 and 3, Hermes
//   - <tool_call><function=NAME><parameter=P>…</parameter></function></tool_call>: Qwen3-Coder, also
//     without the outer tags
//   - <function=NAME>{…}</function>: Llama 3.1 with a system text of its users
//   - [TOOL_CALLS][{"name": …, "arguments": {…}}] and [TOOL_CALLS]NAME[ARGS]{…}: Mistral
//   - a fenced block with {"name": …, "arguments": {…}} as the whole answer: small models of all vendors
//
// Source: the chat templates of these models, and the parsers of vLLM (hermes, qwen3_coder, mistral).
//
// A text is read as calls only if all of it is. It stays text, which the user sees, and nothing runs, if a call was cut
// off, if it has an argument twice, or if it has more than maxParameters: a guess at what the model meant
// could run something else.
const (
	callStart, callEnd         = "<tool_call>", "</tool_call>"
	functionStart, functionEnd = "<function=", "</function>"
	parameterStart             = "<parameter="
	parameterEnd               = "</parameter>"
	mistralStart, mistralEnd   = "[TOOL_CALLS]", "[/TOOL_CALLS]"
	mistralArguments           = "[ARGS]"
)

// maxParameters bounds the parameters of a call between tags.
const maxParameters = 256

// callTags are what the calls in a text begin with, each with one of tagBegins.
var callTags = [...]string{callStart, functionStart, mistralStart}

const tagBegins = "<["

// firstTag returns where the first of callTags is in a text, and which; -1 if none is. It looks no further, so that
// a text with many of them is read once.
func firstTag(text string) (at int, tag string) {
	for at = 0; ; at++ {
		i := strings.IndexAny(text[at:], tagBegins)
		if i < 0 {
			return -1, ""
		}
		at += i
		for _, t := range callTags {
			if strings.HasPrefix(text[at:], t) {
				return at, t
			}
		}
	}
}

// answer is what the beginning of a text says about the rest.
type answer uint8

const (
	no answer = iota
	maybe
	yes
)

// beginsCall reports whether a text that begins with one of callTags begins a call of a tool that was
// offered. The answer to a longer text is the same, unless it is maybe.
func (m *merger) beginsCall(text string) answer {
	if rest, found := strings.CutPrefix(text, callStart); found {
		rest, all := blanks(rest)
		switch {
		case all || rest == "":
			return undecided(all)
		case rest[0] == '{':
			return yes
		case strings.HasPrefix(functionStart, rest):
			return maybe
		case !strings.HasPrefix(rest, functionStart):
			return no
		}
		text = rest
	}
	if rest, found := strings.CutPrefix(text, functionStart); found {
		return m.beginsName(rest, ">")
	}
	rest, all := blanks(strings.TrimPrefix(text, mistralStart))
	switch {
	case all || rest == "":
		return undecided(all)
	case rest[0] == '[':
		return yes
	}
	return m.beginsName(rest, mistralArguments)
}

// beginsName is [merger.beginsCall] for what comes after the name of a tool.
func (m *merger) beginsName(text, after string) answer {
	begins := no
	for _, name := range m.wireNames() {
		rest, found := strings.CutPrefix(text, name)
		switch {
		case found && strings.HasPrefix(rest, after):
			return yes
		case found && strings.HasPrefix(after, rest), strings.HasPrefix(name, text):
			begins = maybe
		}
	}
	return begins
}

// wireNames are the names under which tools were offered, in the order of m.tools.
func (m *merger) wireNames() []string {
	if m.names == nil {
		for _, t := range m.tools {
			m.names = append(m.names, model.WireName(t.Name))
		}
	}
	return m.names
}

// blanks returns a text without the white space that it begins with, at most maxBlank bytes of it; more
// says that there are as many or more.
func blanks(text string) (rest string, more bool) {
	rest = strings.TrimLeftFunc(text, unicode.IsSpace)
	return rest, len(text)-len(rest) >= maxBlank
}

// undecided is the answer to white space and nothing else; more is that of [blanks].
func undecided(more bool) answer {
	if more {
		return no
	}
	return maybe
}

// beginsFenced reports whether a text begins with a fenced block that begins like a call in JSON. The
// answer to a longer text is the same, unless it is maybe.
func beginsFenced(text string) answer {
	const name = `"name"`
	text, more := blanks(text)
	if more || text == "" {
		return undecided(more)
	}
	if rest, found := cutWhole(&text, "```"); !found {
		return rest
	}
	after := strings.TrimLeftFunc(text, func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' })
	if len(text)-len(after) >= maxBlank {
		return no // that is no language
	}
	text = after
	for _, next := range []string{"{", name} {
		if text, more = blanks(text); more || text == "" {
			return undecided(more)
		}
		if rest, found := cutWhole(&text, next); !found {
			return rest
		}
	}
	return yes
}

// cutWhole removes a prefix from a text. Otherwise it says whether a longer text may have it.
func cutWhole(text *string, prefix string) (otherwise answer, found bool) {
	if rest, found := strings.CutPrefix(*text, prefix); found {
		*text = rest
		return yes, true
	}
	if strings.HasPrefix(prefix, *text) {
		return maybe, false
	}
	return no, false
}

// writtenCall is a call in JSON.
type writtenCall struct {
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	Parameters json.RawMessage `json:"parameters"`
}

// UnmarshalJSON refuses a call that says something twice.
func (c *writtenCall) UnmarshalJSON(data []byte) error {
	type plain writtenCall
	if saysTwice(data) {
		return errors.New("a member is there twice")
	}
	return json.Unmarshal(data, (*plain)(c))
}

// fragment returns the call as a whole one; false if its tool was not offered, or if it has two values for an argument.
func (c *writtenCall) fragment(m *merger) (f fragment, ok bool) {
	if c.Arguments != nil && c.Parameters != nil {
		return f, false
	}
	if c.Arguments == nil {
		c.Arguments = c.Parameters
	}
	f = fragment{Index: absent, Name: c.Name, Arguments: argumentText(c.Arguments), Whole: true}
	return f, m.offers(c.Name) && !saysTwice([]byte(f.Arguments))
}

// callsIn returns the calls that a text consists of; nil if it has anything else. If the answer is not whole, each call
// needs its end.
func (m *merger) callsIn(text string, whole bool) []fragment {
	r := callReader{m: m, rest: text, whole: whole}
	for r.rest != "" {
		if !r.one() || len(r.calls) > maxCalls {
			return nil
		}
		r.space()
	}
	return r.calls
}

// callReader reads calls from a text. Its functions report whether they have found what they read.
type callReader struct {
	m      *merger
	rest   string
	whole  bool // the answer was not cut off
	calls  []fragment
	shapes map[string]shape // of the tools that were called with parameters
}

func (r *callReader) space() { r.rest = strings.TrimLeftFunc(r.rest, unicode.IsSpace) }

// cut removes what the rest begins with, after white space.
func (r *callReader) cut(prefix string) (found bool) {
	r.space()
	r.rest, found = strings.CutPrefix(r.rest, prefix)
	return found
}

// end removes an end tag. That of the last call may be missing where the model has stopped by itself.
func (r *callReader) end(tag string) bool { return r.cut(tag) || r.whole && r.rest == "" }

// json reads one value.
func (r *callReader) json(to any) bool {
	d := json.NewDecoder(strings.NewReader(r.rest))
	if d.Decode(to) != nil {
		return false
	}
	r.rest = r.rest[d.InputOffset():]
	return true
}

// one reads one call, or one list of them.
func (r *callReader) one() bool {
	switch {
	case r.cut(callStart):
		if r.cut(functionStart) {
			return r.function() && r.end(callEnd)
		}
		var c writtenCall
		return r.json(&c) && r.take(&c) && r.end(callEnd)
	case r.cut(functionStart):
		return r.function()
	case r.cut(mistralStart):
		if r.space(); strings.HasPrefix(r.rest, "[") {
			var list []writtenCall
			if !r.json(&list) || len(list) == 0 || len(list) > maxCalls {
				return false
			}
			for i := range list {
				if !r.take(&list[i]) {
					return false
				}
			}
		} else {
			c, found := writtenCall{}, false
			if c.Name, r.rest, found = strings.Cut(r.rest, mistralArguments); !found || !r.json(&c.Arguments) || !r.take(&c) {
				return false
			}
		}
		r.cut(mistralEnd)
		return true
	}
	return false
}

func (r *callReader) take(c *writtenCall) bool {
	f, offered := c.fragment(r.m)
	r.calls = append(r.calls, f)
	return offered
}

// function reads a call after [functionStart]: its arguments are an object in JSON, or parameters
// between tags.
func (r *callReader) function() bool {
	c, found := writtenCall{}, false
	if c.Name, r.rest, found = strings.Cut(r.rest, ">"); !found {
		return false
	}
	if r.space(); strings.HasPrefix(r.rest, "{") {
		return r.json(&c.Arguments) && r.take(&c) && r.end(functionEnd)
	}
	var out bytes.Buffer
	for n := 0; r.cut(parameterStart); n++ {
		if n == maxParameters {
			return false
		}
		name, rest, found := strings.Cut(r.rest, ">")
		if !found {
			return false
		}
		value, rest, found := cutParameter(rest)
		if !found {
			return false
		}
		r.rest = rest
		key, _ := json.Marshal(name) // a string always can
		if out.Len() == 0 {
			out.WriteByte('{')
		} else {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(r.typed(c.Name, name, value))
	}
	if out.Len() == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	c.Arguments = out.Bytes()
	return r.end(functionEnd) && r.take(&c)
}

// cutParameter returns the value before the end tag of a parameter: the first after which another parameter, or the
// end of the function, follows. The value of one with the text of a file may have the tag in it.
func cutParameter(text string) (value, rest string, found bool) {
	for at := 0; ; {
		i := strings.Index(text[at:], parameterEnd)
		if i < 0 {
			return "", "", false
		}
		value, rest = text[:at+i], text[at+i+len(parameterEnd):]
		next := strings.TrimLeftFunc(rest, unicode.IsSpace)
		if next == "" || strings.HasPrefix(next, parameterStart) || strings.HasPrefix(next, functionEnd) {
			return strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n"), rest, true
		}
		at += i + len(parameterEnd)
	}
}

// typed returns the value of a parameter as JSON: a string, unless the tool wants something else and the
// value is that.
func (r *callReader) typed(tool, parameter, value string) json.RawMessage {
	s, known := r.shapes[tool]
	if !known {
		if s = r.m.parameters(tool); r.shapes == nil {
			r.shapes = map[string]shape{}
		}
		r.shapes[tool] = s
	}
	want := s.Properties[parameter].Type
	if raw := json.RawMessage(strings.TrimSpace(value)); len(want) > 0 && !slices.Contains(want, "string") && json.Valid(raw) {
		return raw
	}
	text, _ := json.Marshal(value) // a string always can
	return text
}

// shape is what is looked at of the schema of a tool.
type shape struct {
	Properties map[string]struct {
		Type types `json:"type"`
	} `json:"properties"`
	Required []string `json:"required"`
}

// types are those that a schema allows; nil: any.
type types []string

// UnmarshalJSON reads a type or a list of them.
func (t *types) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		*t = types{""}
		return json.Unmarshal(data, &(*t)[0])
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// parameters returns the shape of a tool's arguments, the zero value if it cannot be read.
func (m *merger) parameters(tool string) (s shape) {
	i := slices.Index(m.wireNames(), tool)
	if i < 0 || json.Unmarshal(m.tools[i].Parameters, &s) != nil {
		return shape{}
	}
	return s
}

// fencedCall returns the call that an answer consists of, if that is one fenced block with one call of a
// tool that was offered, and with arguments that the tool has: all that it needs, none that it does
// not know, each of the right type. Else it is code that the user has asked for, and the result is nil.
func (m *merger) fencedCall(text string) []fragment {
	text = strings.TrimSpace(text)
	_, body, found := strings.Cut(text, "{")
	body, closed := strings.CutSuffix(body, "```")
	object := []byte("{" + body)
	var c writtenCall
	var members map[string]json.RawMessage
	if !found || !closed || json.Unmarshal(object, &c) != nil || json.Unmarshal(object, &members) != nil {
		return nil
	}
	for name := range members {
		if name != "name" && name != "arguments" && name != "parameters" {
			return nil
		}
	}
	f, offered := c.fragment(m)
	var given map[string]json.RawMessage
	if !offered || json.Unmarshal([]byte(f.Arguments), &given) != nil || given == nil {
		return nil
	}
	s := m.parameters(f.Name)
	for _, name := range s.Required {
		if _, found := given[name]; !found {
			return nil
		}
	}
	for name, value := range given {
		if p, found := s.Properties[name]; !found || !p.Type.has(value) {
			return nil
		}
	}
	return []fragment{f}
}

// has reports whether a value has one of the types.
func (t types) has(value json.RawMessage) bool {
	kind := "number"
	switch value[0] {
	case '"':
		kind = "string"
	case '{':
		kind = "object"
	case '[':
		kind = "array"
	case 't', 'f':
		kind = "boolean"
	case 'n':
		kind = "null"
	}
	return t == nil || slices.Contains(t, kind) || kind == "number" && slices.Contains(t, "integer")
}
