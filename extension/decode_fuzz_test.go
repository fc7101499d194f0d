package extension_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

// FuzzParseRequest checks that no body makes ParseRequest panic, that a decoded request,
// written and read again, is unchanged, and that its fields come from the body.
func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{
		"", "{", "null", `{"messages":[]}`, hello, "\uFEFF" + hello,
		`{"copilot_thread_id":"t","agent":"a","max_tokens":0,"messages":[{"role":"user","name":"_session","content":"Current User's Login: octocat\n"}]}`,
		`{"messages":[{"content":[{"type":"text","text":"a"},"b"]},{"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"},"index":1}]}]}`,
		`{"messages":[{"copilot_references":[{"type":"client.file","id":7,"data":{"a":1.0},"is_implicit":true,"metadata":{"display_name":"n","x":[]}},{"id":"i","metadata":{"display_url":"u"}}]}]}`,
		`{"messages":[{"copilot_confirmations":[{"state":"accepted","confirmation":{"id": "1"}},{"state":"dismissed","confirmation":null}]}],"messages ":1}`,
		"{\"messages\":[{\"content\":\"\xff\\ud800\",\"\xff\":\"\xff\",\"a\":1,\"\\u0061\":2}]}",
		`{"messages":[{"role":1,"name":{},"tool_call_id":[],"tool_calls":[{"function":null}],"copilot_references":[{"metadata":[],"is_implicit":0}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := extension.ParseRequest(body)
		if err != nil {
			if r != nil {
				t.Errorf("ParseRequest gives a request and %v", err)
			}
			return
		}
		r.Prompt()
		r.Decision()
		r.Login()
		if n := len(r.Conversation()) + len(r.Find("")); n > len(body) {
			t.Errorf("%d parts of %d bytes", n, len(body))
		}
		again := written(t, r)
		back, err := extension.ParseRequest(again)
		if err != nil {
			t.Fatalf("ParseRequest of what was written: %v\n%s", err, again)
		}
		if diff := cmp.Diff(r, back); diff != "" {
			t.Errorf("came back from %s otherwise:\n%s", again, diff)
		}
		if third := written(t, back); !bytes.Equal(again, third) {
			t.Errorf("is written as %s, and then as %s", again, third)
		}
		if len(again) > 8*len(body)+256 {
			t.Errorf("%d bytes became %d", len(body), len(again))
		}
	})
}

// object writes the fields of an object. A field in rest takes precedence over the decoded
// one.
func object(t *testing.T, rest map[string]json.RawMessage, known map[string]any) []byte {
	all := map[string][]byte{}
	for name, value := range known {
		switch v := value.(type) {
		case json.RawMessage:
			all[name] = v
		case [][]byte:
			all[name] = slices.Concat([]byte("["), bytes.Join(v, []byte(",")), []byte("]"))
		default:
			all[name], _ = json.Marshal(v)
		}
		if len(all[name]) == 0 {
			delete(all, name)
		}
	}
	for name, value := range rest {
		if !json.Valid(value) {
			t.Errorf("the rest has %s, which is not JSON", value)
		}
		all[name] = value
	}
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(all)) {
		quoted, _ := json.Marshal(name)
		b = append(append(append(append(b, ','), quoted...), ':'), all[name]...)
	}
	if len(b) > 0 {
		b = b[1:]
	}
	return slices.Concat([]byte("{"), b, []byte("}"))
}

func written(t *testing.T, r *extension.Request) []byte {
	var messages [][]byte
	for _, m := range r.Messages {
		var refs, decisions, calls [][]byte
		for _, ref := range m.References {
			meta := object(t, nil, map[string]any{"display_name": ref.Metadata.DisplayName, "display_icon": ref.Metadata.DisplayIcon, "display_url": ref.Metadata.DisplayURL})
			refs = append(refs, object(t, ref.Rest, map[string]any{
				"type": ref.Type, "id": ref.ID, "data": ref.Data, "is_implicit": ref.Implicit, "metadata": json.RawMessage(meta),
			}))
		}
		for _, d := range m.Decisions {
			state := map[bool]string{true: "accepted", false: "dismissed"}[d.Accepted]
			decisions = append(decisions, object(t, nil, map[string]any{"state": state, "confirmation": d.Data}))
		}
		for _, c := range m.ToolCalls {
			function := object(t, nil, map[string]any{"name": c.Name, "arguments": c.Arguments})
			calls = append(calls, object(t, nil, map[string]any{"id": c.ID, "type": "function", "function": json.RawMessage(function)}))
		}
		messages = append(messages, object(t, m.Rest, map[string]any{
			"role": m.Role, "name": m.Name, "content": m.Content, "tool_call_id": m.ToolCallID,
			"copilot_references": refs, "copilot_confirmations": decisions, "tool_calls": calls,
		}))
	}
	return object(t, r.Rest, map[string]any{"copilot_thread_id": r.ThreadID, "agent": r.Agent, "messages": messages})
}
