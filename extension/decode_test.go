package extension_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }

func rest(pairs ...string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = rawJSON(pairs[i+1])
	}
	return m
}

func requestOf(m extension.Message) *extension.Request {
	return &extension.Request{Messages: []extension.Message{m}}
}

// parsedRequests has bodies and the requests that they are read as.
var parsedRequests = []struct {
	name, body string
	want       *extension.Request
}{
	{
		"the page's example",
		`{"messages": [{"role": "user", "content": "What is a closure in javascript?", "copilot_references": []}]}`,
		requestOf(extension.Message{Role: "user", Content: "What is a closure in javascript?"}),
	},
	{
		"all that github.com sends",
		`{"copilot_thread_id":"t-1","messages":[{"role":"user","content":"hi","copilot_references":null,"copilot_confirmations":[]}],"stop":null,"top_p":0,"temperature":0.10,` +
			`"max_tokens":4096,"copilot_skills":[],"agent":"blackbeard","tools":null,"model":"","client_id":"Iv23"}`,
		&extension.Request{
			ThreadID: "t-1", Agent: "blackbeard", Messages: []extension.Message{{Role: "user", Content: "hi"}},
			Rest: rest("stop", "null", "top_p", "0", "temperature", "0.10", "max_tokens", "4096", "copilot_skills", "[]", "tools", "null", "model", `""`, "client_id", `"Iv23"`),
		},
	},
	{"a byte order mark, and space", "\uFEFF \r\n\t{ \"messages\" :[ { } ] } ", requestOf(extension.Message{})},
	{"nothing in a message, in every form", `{"copilot_thread_id":null,"agent":null,"messages":[{"role":null,"content":null,"name":null,"copilot_references":null,"copilot_confirmations":null,"tool_calls":null,"tool_call_id":null},{}]}`, &extension.Request{Messages: []extension.Message{{}, {}}}},
	{"unknown fields, byte for byte", `{"messages":[{"copilot_errors":null,"x":{"b" : 1.0,"a":[ 12345678901234567890 ]}}]}`, requestOf(extension.Message{Rest: rest("copilot_errors", "null", "x", `{"b" : 1.0,"a":[ 12345678901234567890 ]}`)})},
	{"names are what they are", `{"Messages":1,"messages":[{"Role":"x","r\u006fle":"y"}]}`, &extension.Request{Messages: []extension.Message{{Role: "y", Rest: rest("Role", `"x"`)}}, Rest: rest("Messages", "1")}},
	{"the last of a name counts", `{"messages":5,"x":1,"x":2,"messages":[{"content":["a"],"content":"b","role":"u","role":null}]}`, &extension.Request{Messages: []extension.Message{{Content: "b"}}, Rest: rest("x", "2")}},
	{"escapes", `{"messages":[{"content":"\"\\\/\n\u00e9\ud83d\ude00\ud83d }]"}]}`, requestOf(extension.Message{Content: "\"\\/\né😀\uFFFD }]"})},
	{"bytes that are not UTF-8", "{\"messages\":[{\"content\":\"a\xffb\",\"x\":\"\xff\"}]}", requestOf(extension.Message{Content: "a\uFFFDb", Rest: rest("x", "\"\xff\"")})},
	{
		"content of parts", `{"messages":[{"content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{}},"b",{"text":null}]}]}`,
		requestOf(extension.Message{Content: "a\nb", Rest: rest("content", `[{"type":"text","text":"a"},{"type":"image_url","image_url":{}},"b",{"text":null}]`)}),
	},
	{"leaves of another type", `{"agent":{"a":1},"messages":[{"role":5,"name":["x"]}]}`, &extension.Request{Messages: []extension.Message{{Rest: rest("role", "5", "name", `["x"]`)}}, Rest: rest("agent", `{"a":1}`)}},
	{
		"references", `{"messages":[{"copilot_references":[{"type":"client.file","id":"a.go","data":{"content":"<x>", "n":1.0},"is_implicit":true,"metadata":{"display_name":"a","display_icon":"","display_url":null}},{"id":7,"data":null,"v":2}]}]}`,
		requestOf(extension.Message{References: []extension.Reference{
			{Type: "client.file", ID: "a.go", Data: rawJSON(`{"content":"<x>", "n":1.0}`), Implicit: true, Metadata: extension.Metadata{DisplayName: "a"}},
			{ID: "7", Rest: rest("id", "7", "v", "2")},
		}}),
	},
	{
		"a reference that says more", `{"messages":[{"copilot_references":[{"type":1,"is_implicit":"yes","metadata":{"display_name":"a","colour":"red"}},{"metadata":"x"}]}]}`,
		requestOf(extension.Message{References: []extension.Reference{
			{Metadata: extension.Metadata{DisplayName: "a"}, Rest: rest("type", "1", "is_implicit", `"yes"`, "metadata", `{"display_name":"a","colour":"red"}`)},
			{Rest: rest("metadata", `"x"`)},
		}}),
	},
	{
		"a reference of a type alone", `{"messages":[{"copilot_references":[{"type":"client.file"},{"type":"a.b","id":null,"is_implicit":"True","data":null,"metadata":null}]}]}`,
		requestOf(extension.Message{References: []extension.Reference{{Type: "client.file"}, {Type: "a.b", Implicit: true, Rest: rest("is_implicit", `"True"`)}}}),
	},
	{
		"one object in place of a list", `{"messages":[{"copilot_references":{"type":"a.b"},"copilot_confirmations":{"state":"accepted"}}]}`,
		requestOf(extension.Message{
			References: []extension.Reference{{Type: "a.b"}}, Decisions: []extension.Decision{{Accepted: true}},
			Rest: rest("copilot_references", `{"type":"a.b"}`, "copilot_confirmations", `{"state":"accepted"}`),
		}),
	},
	{
		"what is no reference, and calls of another type", `{"copilot_thread_id":12,"messages":[{"copilot_references":[{"type":"a.b"},"x",null],"tool_calls":[5]},{"copilot_references":7,"tool_calls":"x"}]}`,
		&extension.Request{ThreadID: "12", Rest: rest("copilot_thread_id", "12"), Messages: []extension.Message{
			{References: []extension.Reference{{Type: "a.b"}}, Rest: rest("copilot_references", `[{"type":"a.b"},"x",null]`, "tool_calls", "[5]")},
			{Rest: rest("copilot_references", "7", "tool_calls", `"x"`)},
		}},
	},
	{
		"decisions", `{"messages":[{"copilot_confirmations":[{"state":"accepted","confirmation":{"id": "id-123","n":1.10}},{"state":"dismissed"},{"state":"dismissed","confirmation":null},{"state":"accepted","confirmation":["a"]}]}]}`,
		requestOf(extension.Message{Decisions: []extension.Decision{{Accepted: true, Data: rawJSON(`{"id": "id-123","n":1.10}`)}, {}, {}, {Accepted: true, Data: rawJSON(`["a"]`)}}}),
	},
	{
		"calls", `{"messages":[{"content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"2"}]}`,
		&extension.Request{Messages: []extension.Message{
			{ToolCalls: []extension.ToolCall{{ID: "c1", Name: "add", Arguments: `{"a":1}`}}},
			{Role: "tool", ToolCallID: "c1", Content: "2"},
		}},
	},
	{
		"calls that say more", `{"messages":[{"tool_calls":[{"id":"c1","index":0,"type":"function","function":{"name":"add"}}]},{"tool_calls":[{"type":"function","function":5}]},{"tool_calls":[{"type":"function","function":{"name":"add","strict":true}}]}]}`,
		&extension.Request{Messages: []extension.Message{
			{ToolCalls: []extension.ToolCall{{ID: "c1", Name: "add"}}, Rest: rest("tool_calls", `[{"id":"c1","index":0,"type":"function","function":{"name":"add"}}]`)},
			{ToolCalls: []extension.ToolCall{{}}, Rest: rest("tool_calls", `[{"type":"function","function":5}]`)},
			{ToolCalls: []extension.ToolCall{{Name: "add"}}, Rest: rest("tool_calls", `[{"type":"function","function":{"name":"add","strict":true}}]`)},
		}},
	},
}

func TestParseRequest(t *testing.T) {
	for _, tc := range parsedRequests {
		t.Run(tc.name, func(t *testing.T) {
			body := []byte(tc.body)
			got, err := extension.ParseRequest(body)
			for i := range body {
				body[i] = '!' // the request must not keep body
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("ParseRequest: %v\n%s", err, diff)
			}
		})
	}
}

func TestBodiesThatAreNoRequest(t *testing.T) {
	for _, tc := range []struct{ body, want string }{
		{"", "body is not JSON at byte 0"},
		{"{", "body is not JSON at byte 1: unexpected end"},
		{`{"messages":[{}]}x`, "body is not JSON at byte 18"},
		{"{\"messages\":[{\"content\":\"a\nb\"}]}", "body is not JSON at byte 27"},
		{"null", "body is null, not an object"},
		{"[]", "body is a list, not an object"},
		{`"messages"`, "body is a string, not an object"},
		{"7", "body is a number, not an object"},
		{"true", "body is a boolean, not an object"},
		{"{}", "body has no messages"},
		{`{"messages":null}`, "body has no messages"},
		{`{"messages":[]}`, "body has no messages"},
		{`{"messages":{}}`, "messages is an object, not a list"},
		{`{"messages":[{},null]}`, "messages[1] is null, not an object"},
		{`{"messages":[{"content":7}]}`, "messages[0].content is a number, not a string, null or a list of parts"},
		{`{"messages":[{"content":[{}, [] ]}]}`, "messages[0].content[1] is a list, not an object"},
		{`{"messages":[{},{"copilot_confirmations":true}]}`, "messages[1].copilot_confirmations is a boolean, not a list"},
		{`{"messages":[{"copilot_confirmations":[{"state":"maybe"}]}]}`, "messages[0].copilot_confirmations[0].state is neither accepted nor dismissed"},
		{`{"messages":[{"copilot_confirmations":[{"confirmation":{}}]}]}`, "messages[0].copilot_confirmations[0].state is neither"},
		{`{"messages":[{"copilot_confirmations":[{"state":"accepted"},{"state":["accepted"]}]}]}`, "messages[0].copilot_confirmations[1].state is neither"},
		{`{"messages":[{"x":` + strings.Repeat("[", 10001), "exceeded max depth"},
		{`{"messages":[` + strings.Repeat("{},", 100_000) + "{}]}", "more than 100000 fields and entries"},
		{`{"messages":[{"content":[""` + strings.Repeat(`,""`, 100_000) + "]}]}", "more than 100000 fields and entries"},
		{`{"messages":[{}]` + strings.Repeat(`,"a":1`, 100_000) + "}", "more than 100000 fields and entries"},
	} {
		r, err := extension.ParseRequest([]byte(tc.body))
		if r != nil || fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("ParseRequest(%.60s) = %v, %v, want an invalid with %q", tc.body, r, err, tc.want)
		}
	}
}

// Appending to a value does not overwrite the next one.
func TestRawValuesAreApart(t *testing.T) {
	r, err := extension.ParseRequest([]byte(`{"messages":[{"copilot_references":[{"data":{},"x":[1]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ref := r.Messages[0].References[0]
	_ = append(ref.Data, "!!!!!!!!"...)
	if got := string(ref.Rest["x"]); got != "[1]" {
		t.Errorf("the value behind became %s", got)
	}
}

// Values that are kept as they are may be as large as a body may be.
func TestLargeDataIsNoMatter(t *testing.T) {
	data := `[0` + strings.Repeat(",0", 200_000) + "]"
	r, err := extension.ParseRequest(fmt.Appendf(nil, `{"messages":[{"copilot_references":[{"data":%s}]}]}`, data))
	if err != nil || string(r.Messages[0].References[0].Data) != data {
		t.Errorf("ParseRequest: %v", err)
	}
}
