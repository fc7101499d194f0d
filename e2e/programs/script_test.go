//go:build programs

package programs

import (
	"bytes"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// key is what the programs give as the key of their provider.
const key = "story-key"

// model starts the model of story.md. It answers requests with the right key only.
func model() *modeltest.Server {
	s := modeltest.NewServer()
	for _, r := range script {
		when := r.When
		r.When = func(q *modeltest.Request) bool { return q.Header.Get("Authorization") == "Bearer "+key && when(q) }
		r.Repeat = true
		s.Add(r)
	}
	return s
}

// script has a reply for each request that the story makes. A request without one is an error, which the program sees.
var script = []modeltest.Reply{
	{When: turn("tool: what is the weather in Oslo?"), ToolCalls: call("get_weather", `{"city":"Oslo"}`)},
	{When: turn("tool: what is the weather in Oslo?", "7 degrees in Oslo"), Text: "It is 7 degrees in Oslo."},

	{When: turn("streaming: count to twenty."), Text: "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20."},

	{When: turn("permission: make the first file."), ToolCalls: call("bash", `{"command":"touch denied.txt","description":"Makes a file"}`)},
	{When: turn("permission: make the second file."), ToolCalls: call("bash", `{"command":"touch allowed.txt","description":"Makes a file"}`)},
	{When: turn("permission: make the second file.", ""), Text: "One file is there."},

	{When: turn("ask: which colour?"), ToolCalls: call("ask_user", `{"question":"Which colour?","choices":["red","blue"]}`)},
	{When: turn("ask: which colour?", "blue"), Text: "You chose blue."},

	{When: turn("hooks: use both tools."), ToolCalls: call("open_door", `{}`)},
	{When: turn("hooks: use both tools.", "doors stay shut"), ToolCalls: call("ring_bell", `{}`)},
	{When: turn("hooks: use both tools.", "doors stay shut", "the bell rang"), Text: "The bell rang, and the door stayed shut."},

	{When: turn("provider: is my key right?"), Text: "Your key is right."},

	{When: turn("mcp: count to two."), ToolCalls: call("counter-count", `{}`)},
	{When: turn("mcp: count to two.", "counted"), Text: "The server counted."},

	{When: both(turn("structured: how many?"), schema), Text: `{"n":42}`},

	{When: turn("abort: think for an hour."), Pieces: []string{"I am thinking", " and thinking"}, StallAfter: 2},
	{When: turn("abort: are you there?"), Text: "I am here."},

	{When: turn("join: say hello."), Text: "Hello to both."},
	{When: both(turn("join: say goodbye."), saw("join: say hello.")), Text: "Goodbye to both."},
	{When: turn("join: say goodbye."), Text: "I do not know you."},

	{When: turn("list: remember the milk."), Text: "I remember the milk."},

	{When: turn("restart: my name is Ann."), Text: "Hello, Ann."},
	{When: both(turn("restart: what is my name?"), saw("restart: my name is Ann.")), Text: "You are Ann."},
	{When: turn("restart: what is my name?"), Text: "I do not know."},
}

func call(tool, arguments string) []modeltest.ToolCall {
	return []modeltest.ToolCall{{Name: tool, Arguments: arguments}}
}

// turn accepts a request in the turn of a prompt, after as many results of tools as there are texts. Each result
// contains its text.
func turn(prompt string, results ...string) func(*modeltest.Request) bool {
	return func(r *modeltest.Request) bool {
		var got []string
		for i := len(r.Messages) - 1; i >= 0; i-- {
			m := r.Messages[i]
			switch m.Role {
			case "tool":
				got = append([]string{m.Content}, got...)
			case "user":
				return strings.Contains(m.Content, prompt) && contain(got, results)
			}
		}
		return false
	}
}

func contain(got, want []string) bool {
	if len(got) != len(want) {
		return false
	}
	for i, text := range want {
		if !strings.Contains(got[i], text) {
			return false
		}
	}
	return true
}

// saw accepts a request with an earlier prompt.
func saw(prompt string) func(*modeltest.Request) bool {
	return func(r *modeltest.Request) bool { return bytes.Contains(r.Raw, []byte(prompt)) }
}

// schema accepts a request that asks for an answer with the schema of the step structured.
func schema(r *modeltest.Request) bool {
	return bytes.Contains(r.Raw, []byte(`"json_schema"`)) && bytes.Contains(r.Raw, []byte(`"n"`))
}

func both(a, b func(*modeltest.Request) bool) func(*modeltest.Request) bool {
	return func(r *modeltest.Request) bool { return a(r) && b(r) }
}
