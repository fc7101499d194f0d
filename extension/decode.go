package extension

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// maxParts bounds the number of fields, messages, references, decisions, calls and content
// parts of one request, all together. Each takes some hundred bytes of memory, however short
// it is in the body. The contents of values that are kept as raw JSON are not counted. A
// chat of 1,000 exchanges with files has about 20,000.
const maxParts = 100_000

// ParseRequest decodes the body of a request.
//
// It accepts what platforms and clients are known to send: lists that are null, absent or
// empty, or one object in place of a list; content that is a string, null or a list of parts,
// whose texts it joins with newlines; ids that are numbers. Of a reference everything may be
// missing or of another type: such a field counts as absent, except is_implicit as a string.
// Members of the list of references that are no objects are skipped. Unknown fields are kept byte for byte in the Rest of the
// value that they belong to. A known field is kept there as well if decoding would lose
// something (content parts, numeric ids, extra fields, unexpected types), so that the
// request can be written unchanged. Of a repeated field the last one counts. Invalid UTF-8
// in a text becomes U+FFFD.
//
// The error is [ErrInvalid] and says what is wrong and where: the body is not a JSON
// object, or nested more than 10,000 levels deep; it has no message; the messages, the
// content of one, the decisions, or an entry of these lists has another type; the state of a
// decision is neither accepted nor dismissed; there are more than 100,000 fields and entries.
//
// Token and Header are not in a body, so they stay empty. ParseRequest does not keep body.
func ParseRequest(body []byte) (*Request, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	var raw json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		return nil, invalid("body is not JSON%s: %w", position(err), err)
	}
	d := decoder{left: maxParts}
	r := d.request(raw)
	if d.err != nil {
		return nil, d.err
	}
	return r, nil
}

func invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, "extension.ParseRequest", "", format, args...)
}

// position says where a body stops being valid JSON, if the error contains that.
func position(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf(" at byte %d", syntax.Offset)
	}
	return ""
}

// decoder turns valid JSON into a request. It keeps the first error and then does nothing
// more.
type decoder struct {
	left int // number of parts that may still be counted
	err  error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = invalid(format, args...)
	}
}

// count counts one part, and reports whether decoding may continue.
func (d *decoder) count() bool {
	if d.left--; d.left < 0 {
		d.fail("body holds more than %d fields and entries", maxParts)
	}
	return d.err == nil
}

// fields returns the members of an object by name.
func (d *decoder) fields(where string, raw []byte) fields {
	if d.err != nil {
		return nil
	}
	if raw[0] != '{' {
		d.fail("%s is %s, not an object", where, kindOf(raw))
		return nil
	}
	f := fields{}
	each(raw, func(key, value []byte) bool {
		f[text(key)] = value
		return d.count()
	})
	return f
}

// list calls entry for each entry of a list. null and an absent list count as empty.
func (d *decoder) list(where string, raw []byte, entry func(where string, raw []byte)) {
	switch {
	case isNull(raw):
		return
	case raw[0] != '[':
		d.fail("%s is %s, not a list", where, kindOf(raw))
		return
	}
	n := 0
	each(raw, func(_, value []byte) bool {
		if d.count() {
			entry(fmt.Sprintf("%s[%d]", where, n), value)
			n++
		}
		return d.err == nil
	})
}

func (d *decoder) request(raw []byte) *Request {
	f := d.fields("body", raw)
	r := &Request{ThreadID: f.id("copilot_thread_id"), Agent: f.text("agent")}
	d.list("messages", f.take("messages"), func(where string, raw []byte) {
		r.Messages = append(r.Messages, d.message(where, raw))
	})
	if len(r.Messages) == 0 {
		d.fail("body has no messages: there is nothing to answer")
	}
	r.Rest = f.rest()
	return r
}

func (d *decoder) message(where string, raw []byte) Message {
	f := d.fields(where, raw)
	m := Message{Role: f.text("role"), Name: f.text("name"), ToolCallID: f.text("tool_call_id")}
	m.Content = d.content(where+".content", f)
	m.References = d.references(where+".copilot_references", f)
	if one := f["copilot_confirmations"]; isObject(one) {
		m.Decisions = append(m.Decisions, d.decision(where+".copilot_confirmations", one)) // which stays in f, because it is no list
	} else {
		d.list(where+".copilot_confirmations", f.take("copilot_confirmations"), func(where string, raw []byte) {
			m.Decisions = append(m.Decisions, d.decision(where, raw))
		})
	}
	m.ToolCalls = d.toolCalls(where+".tool_calls", f)
	m.Rest = f.rest()
	return m
}

// content returns the text of a message. A list of parts also stays in f, because some parts
// are not text.
func (d *decoder) content(where string, f fields) string {
	raw := f["content"]
	if isNull(raw) || raw[0] == '"' {
		return f.text("content")
	}
	if raw[0] != '[' {
		d.fail("%s is %s, not a string, null or a list of parts", where, kindOf(raw))
		return ""
	}
	var texts [][]byte
	d.list(where, raw, func(where string, raw []byte) {
		if raw[0] == '"' {
			texts = append(texts, []byte(text(raw)))
		} else if part := d.fields(where, raw); isString(part["text"]) {
			texts = append(texts, []byte(text(part["text"])))
		}
	})
	return string(bytes.Join(texts, []byte("\n")))
}

// references decodes the references of a message, which also stay in f if they are not a list
// of references.
func (d *decoder) references(where string, f fields) (refs []Reference) {
	raw := f["copilot_references"]
	isList := isNull(raw) || raw[0] == '['
	switch {
	case isObject(raw):
		refs = append(refs, d.reference(where, raw))
	case isList:
		d.list(where, raw, func(where string, raw []byte) {
			if isObject(raw) {
				refs = append(refs, d.reference(where, raw))
			} else {
				isList = false
			}
		})
	}
	if isList {
		f.take("copilot_references")
	}
	return refs
}

func (d *decoder) reference(where string, raw []byte) Reference {
	f := d.fields(where, raw)
	ref := Reference{Type: f.text("type"), ID: f.id("id"), Implicit: f.flag("is_implicit"), Data: f.value("data")}
	ref.Metadata = d.metadata(where+".metadata", f)
	ref.Rest = f.rest()
	return ref
}

// metadata decodes metadata, which also stays in f if [Metadata] cannot hold all of it.
func (d *decoder) metadata(where string, f fields) Metadata {
	raw := f["metadata"]
	if isNull(raw) {
		f.take("metadata")
		return Metadata{}
	}
	if raw[0] != '{' {
		return Metadata{}
	}
	m := d.fields(where, raw)
	meta := Metadata{DisplayName: m.text("display_name"), DisplayIcon: m.text("display_icon"), DisplayURL: m.text("display_url")}
	if len(m) == 0 {
		f.take("metadata")
	}
	return meta
}

func (d *decoder) decision(where string, raw []byte) Decision {
	f := d.fields(where, raw)
	switch f.text("state") {
	case "accepted":
		return Decision{Accepted: true, Data: f.value("confirmation")}
	case "dismissed":
		return Decision{Data: f.value("confirmation")}
	}
	d.fail("%s.state is neither accepted nor dismissed", where)
	return Decision{}
}

// toolCalls decodes the calls of a message. They also stay in f if [ToolCall] cannot hold
// all of them.
func (d *decoder) toolCalls(where string, f fields) (calls []ToolCall) {
	raw := f["tool_calls"]
	if !isNull(raw) && raw[0] != '[' {
		return nil
	}
	whole := true
	d.list(where, raw, func(where string, raw []byte) {
		if !isObject(raw) {
			whole = false
			return
		}
		call := d.fields(where, raw)
		c := ToolCall{ID: call.text("id")}
		if isObject(call["function"]) {
			inner := d.fields(where+".function", call.take("function"))
			c.Name, c.Arguments = inner.text("name"), inner.text("arguments")
			whole = whole && len(inner) == 0
		}
		whole = whole && call.text("type") == "function" && len(call) == 0
		calls = append(calls, c)
	})
	if whole {
		f.take("tool_calls")
	}
	return calls
}
