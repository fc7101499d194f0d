package extension

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// MarshalJSON returns the body of the request as a platform sends it: the thread id, the
// messages in order, the agent, then Rest sorted by name. It does not include Token and
// Header.
//
// The result is one line, except for line ends inside raw values, and without HTML escapes.
// Raw values are copied byte for byte, so that signatures of agents stay valid. For this,
// call MarshalJSON and not [json.Marshal], which rewrites its result. A field in Rest takes
// precedence over the decoded field of the same name.
//
// The error is [ErrInvalid] if a raw value is not valid JSON.
func (r *Request) MarshalJSON() ([]byte, error) {
	o := jsonObject{rest: r.Rest}
	o.value("copilot_thread_id", r.ThreadID)
	o.array("messages", len(r.Messages), func(i int) ([]byte, error) {
		return r.Messages[i].encode(i == len(r.Messages)-1)
	})
	o.value("agent", r.Agent)
	return o.end("extension.Request.MarshalJSON")
}

// encode returns the JSON of the message. The last message of a request includes its lists
// even if they are empty, because agents look for them there.
func (m *Message) encode(last bool) ([]byte, error) {
	o := jsonObject{rest: m.Rest}
	o.value("role", m.Role)
	if m.Content == "" && len(m.ToolCalls) > 0 {
		o.raw("content", []byte("null"))
	} else {
		o.value("content", m.Content)
	}
	o.option("name", m.Name)
	if last || len(m.References) > 0 {
		o.array("copilot_references", len(m.References), func(i int) ([]byte, error) { return m.References[i].MarshalJSON() })
	}
	if last || len(m.Decisions) > 0 {
		o.array("copilot_confirmations", len(m.Decisions), func(i int) ([]byte, error) { return m.Decisions[i].encode() })
	}
	if len(m.ToolCalls) > 0 {
		o.array("tool_calls", len(m.ToolCalls), func(i int) ([]byte, error) { return m.ToolCalls[i].encode() })
	}
	o.option("tool_call_id", m.ToolCallID)
	return o.end("extension.Message")
}

// MarshalJSON returns the JSON of the reference as both sides write it. Its error is that of
// [Request.MarshalJSON].
func (r Reference) MarshalJSON() ([]byte, error) {
	o := jsonObject{rest: r.Rest}
	o.value("type", r.Type)
	o.value("id", r.ID)
	if r.Data != nil {
		o.raw("data", r.Data)
	}
	o.value("is_implicit", r.Implicit)
	o.value("metadata", struct {
		DisplayName string `json:"display_name"`
		DisplayIcon string `json:"display_icon"`
		DisplayURL  string `json:"display_url"`
	}(r.Metadata))
	return o.end("extension.Reference")
}

// UnmarshalJSON reads a reference as [ParseRequest] does, so that storing and reading a
// reference loses nothing. The error is [ErrInvalid] if data is not a JSON object.
func (r *Reference) UnmarshalJSON(data []byte) error {
	d := decoder{left: maxParts}
	*r = d.reference("reference", bytes.Clone(data))
	return d.err
}

func (d Decision) encode() ([]byte, error) {
	var o jsonObject
	state := "dismissed"
	if d.Accepted {
		state = "accepted"
	}
	o.value("state", state)
	o.raw("confirmation", d.Data)
	return o.end("extension.Decision")
}

func (c ToolCall) encode() ([]byte, error) {
	var function jsonObject
	function.value("name", c.Name)
	function.value("arguments", c.Arguments)
	var o jsonObject
	o.value("id", c.ID)
	o.value("type", "function")
	inner, err := function.end("extension.ToolCall")
	if err != nil {
		return nil, err
	}
	o.raw("function", inner)
	return o.end("extension.ToolCall")
}

// jsonObject writes a JSON object field by field, in order, and copies raw values, which
// encoding/json would rewrite. A field that is also in rest is taken from there, because its
// raw form was kept for what decoding loses. The first error is kept.
type jsonObject struct {
	rest map[string]json.RawMessage
	buf  bytes.Buffer
	put  []string // names written so far
	err  error
}

// value adds a field whose value encoding/json can write.
func (o *jsonObject) value(name string, value any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	o.fail(e.Encode(value))
	o.add(name, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// option adds a field unless its value is empty.
func (o *jsonObject) option(name, value string) {
	if value != "" {
		o.value(name, value)
	}
}

// raw adds a field whose value is already JSON; nil means null.
func (o *jsonObject) raw(name string, value json.RawMessage) {
	o.add(name, o.checked(name, value))
}

func (o *jsonObject) checked(name string, value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	if !json.Valid(value) {
		o.fail(fmt.Errorf("the value of %q is not JSON", name))
	}
	return value
}

func (o *jsonObject) array(name string, n int, elem func(int) ([]byte, error)) {
	elems := make([][]byte, n)
	for i := range elems {
		var err error
		elems[i], err = elem(i)
		o.fail(err)
	}
	o.add(name, slices.Concat([]byte("["), bytes.Join(elems, []byte(",")), []byte("]")))
}

func (o *jsonObject) add(name string, value []byte) {
	if kept, ok := o.rest[name]; ok {
		value = o.checked(name, kept)
	}
	start := byte(',')
	if len(o.put) == 0 {
		start = '{'
	}
	o.buf.WriteByte(start)
	o.put = append(o.put, name)
	quoted, err := json.Marshal(name)
	o.fail(err)
	o.buf.Write(append(quoted, ':'))
	o.buf.Write(value)
}

func (o *jsonObject) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

// end adds the remaining fields of rest, sorted by name, and ends the object.
func (o *jsonObject) end(op string) ([]byte, error) {
	for _, name := range slices.Sorted(maps.Keys(o.rest)) {
		if !slices.Contains(o.put, name) {
			o.raw(name, o.rest[name])
		}
	}
	if o.err != nil {
		return nil, &fault.Error{Op: op, Kind: fault.Invalid, Err: o.err}
	}
	return append(o.buf.Bytes(), '}'), nil
}
