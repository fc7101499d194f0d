package extension_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// requestBodies has requests and the bodies that they become.
var requestBodies = []struct {
	name string
	in   extension.Request
	want string
}{
	{"nothing", extension.Request{}, `{"copilot_thread_id":"","messages":[],"agent":""}`},
	{
		"the last message has its lists",
		extension.Request{ThreadID: "t", Agent: "a", Messages: []extension.Message{{Role: "user", Content: "<b>&\n"}, {Role: "user", Content: "é"}}},
		`{"copilot_thread_id":"t","messages":[{"role":"user","content":"<b>&\n"},{"role":"user","content":"é","copilot_references":[],"copilot_confirmations":[]}],"agent":"a"}`,
	},
	{
		"neither token nor header",
		extension.Request{Token: "secret", Header: map[string][]string{"X": {"secret"}}},
		`{"copilot_thread_id":"","messages":[],"agent":""}`,
	},
	{
		"other fields by name, as they came",
		extension.Request{Rest: map[string]raw{"model": raw(`""`), "b": raw(`{"z": 1.0e2,"a":"<\u0041"}`), "n": nil}},
		`{"copilot_thread_id":"","messages":[],"agent":"","b":{"z": 1.0e2,"a":"<\u0041"},"model":"","n":null}`,
	},
	{
		"decisions byte for byte",
		extension.Request{Messages: []extension.Message{{Role: "user", Decisions: []extension.Decision{{Accepted: true, Data: raw(`{ "id" : 1.00 }`)}, {Data: raw(`["a"]`)}, {}}}}},
		`{"copilot_thread_id":"","messages":[{"role":"user","content":"","copilot_references":[],"copilot_confirmations":[` +
			`{"state":"accepted","confirmation":{ "id" : 1.00 }},{"state":"dismissed","confirmation":["a"]},{"state":"dismissed","confirmation":null}]}],"agent":""}`,
	},
	{
		"references",
		extension.Request{Messages: []extension.Message{
			{Role: "assistant", References: []extension.Reference{{
				Type: "v.k", ID: "1", Data: raw(`{"b": 1,"a":"&"}`), Implicit: true, Metadata: extension.Metadata{DisplayName: "N", DisplayIcon: "i", DisplayURL: "https://x/?a&b"}, Rest: map[string]raw{"more": raw("1")},
			}, {}}},
			{Role: "user", Content: "u"},
		}},
		`{"copilot_thread_id":"","messages":[{"role":"assistant","content":"","copilot_references":[` +
			`{"type":"v.k","id":"1","data":{"b": 1,"a":"&"},"is_implicit":true,"metadata":{"display_name":"N","display_icon":"i","display_url":"https://x/?a&b"},"more":1},` +
			`{"type":"","id":"","is_implicit":false,"metadata":{"display_name":"","display_icon":"","display_url":""}}]},` +
			`{"role":"user","content":"u","copilot_references":[],"copilot_confirmations":[]}],"agent":""}`,
	},
	{
		"tools",
		extension.Request{Messages: []extension.Message{
			{Role: "assistant", ToolCalls: []extension.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}},
			{Role: "tool", ToolCallID: "1", Content: "r", Name: "f"},
			{Role: "user"},
		}},
		`{"copilot_thread_id":"","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},` +
			`{"role":"tool","content":"r","name":"f","tool_call_id":"1"},{"role":"user","content":"","copilot_references":[],"copilot_confirmations":[]}],"agent":""}`,
	},
	{
		"a form that says more is kept",
		extension.Request{Messages: []extension.Message{{Role: "user", Content: "a", Rest: map[string]raw{"content": raw(`[{"text":"a"}]`), "x": raw(`1`)}}}},
		`{"copilot_thread_id":"","messages":[{"role":"user","content":[{"text":"a"}],"copilot_references":[],"copilot_confirmations":[],"x":1}],"agent":""}`,
	},
}

func TestRequestBody(t *testing.T) {
	for _, tc := range requestBodies {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.in.MarshalJSON()
			if d := cmp.Diff(tc.want, string(got)); d != "" || err != nil || !json.Valid(got) {
				t.Errorf("%v\n%s", err, d)
			}
		})
	}
}

func TestRequestThatIsNoJSON(t *testing.T) {
	bad := raw(`{"a":}`)
	for name, r := range map[string]extension.Request{
		"rest":      {Rest: map[string]raw{"x": bad}},
		"decision":  {Messages: []extension.Message{{Decisions: []extension.Decision{{Data: bad}}}}},
		"reference": {Messages: []extension.Message{{References: []extension.Reference{{Data: bad}}}}},
		"message":   {Messages: []extension.Message{{Rest: map[string]raw{"content": bad}}}},
	} {
		if b, err := r.MarshalJSON(); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %s, %v, want an invalid", name, b, err)
		}
	}
}

// A request that one side writes is read by the other side, which writes the same bytes.
func TestRequestsComeBack(t *testing.T) {
	body := `{"copilot_thread_id":"t","messages":[{"role":"user","content":[{"type":"text","text":"a"}],"name":"n"},` +
		`{"role":"assistant","content":"b","copilot_references":[{"type":"v.k","id":7,"data":{ "x": 1 },"is_implicit":true,"metadata":{"display_name":"N","display_icon":"","display_url":"","extra":1}}]},` +
		`{"role":"user","content":"","copilot_references":[],"copilot_confirmations":[{"state":"accepted","confirmation":{"n": 1.0}}]}],"agent":"a","client_id":"Iv","max_tokens":0}`
	r, err := extension.ParseRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(body, string(again)); d != "" {
		t.Error(d)
	}
}

func TestMessagesCanBeStored(t *testing.T) {
	want := []extension.Message{{
		Role: "assistant", Content: "c", Rest: map[string]raw{"x": raw(`1`)},
		References: []extension.Reference{{Type: "v.k", ID: "1", Data: raw(`{"a":1}`), Implicit: true, Metadata: extension.Metadata{DisplayName: "N"}, Rest: map[string]raw{"y": raw(`2`)}}},
	}}
	stored, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []extension.Message
	if bytes.Contains(stored, []byte("DisplayName")) {
		t.Errorf("references are stored as %s", stored)
	}
	if err := json.Unmarshal(stored, &got); err != nil {
		t.Fatal(err)
	}
	clear(stored) // the decoded value must not share memory with it
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if err := json.Unmarshal([]byte(`[{"References":[7]}]`), &got); err == nil || !strings.Contains(err.Error(), "a number") {
		t.Errorf("a reference that is a number: %v", err)
	}
}
