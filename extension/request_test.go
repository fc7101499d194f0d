package extension_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

func parse(t *testing.T, body string) *extension.Request {
	t.Helper()
	r, err := extension.ParseRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPrompt(t *testing.T) {
	for _, tc := range []struct{ agent, text, want string }{
		{"blackbeard", "tell a story", "tell a story"},
		{"blackbeard", "@blackbeard tell a story", "tell a story"},
		{"blackbeard", " \n@BlackBeard\n\ttell\n", "tell\n"},
		{"blackbeard", "@blackbeard", ""},
		{"blackbeard", "@blackbeards tell", "@blackbeards tell"},
		{"blackbeard", "@octocat wrote this", "@octocat wrote this"},
		{"blackbeard", "ask @blackbeard", "ask @blackbeard"},
		{"blackbeard", "@blackbeard @blackbeard who?", "@blackbeard who?"},
		{"", "@blackbeard tell", "tell"},
		{"", "@ tell", "@ tell"},
		{"", "  tell", "  tell"},
		{"", "", ""},
	} {
		r := &extension.Request{Agent: tc.agent, Messages: []extension.Message{{Content: "before"}, {Role: "user", Content: tc.text}}}
		if got := r.Prompt(); got != tc.want {
			t.Errorf("Prompt of %q to %q = %q, want %q", tc.text, tc.agent, got, tc.want)
		}
	}
	if got := new(extension.Request).Prompt(); got != "" {
		t.Errorf("Prompt of nothing = %q", got)
	}
}

// A confirmation is decided by the next message, or void.
func TestDecision(t *testing.T) {
	yes := `{"content":"","copilot_confirmations":[{"state":"accepted","confirmation":{"id":"1"}},{"state":"dismissed"}]}`
	got := parse(t, `{"messages":[`+yes+`]}`).Decision()
	if diff := cmp.Diff(&extension.Decision{Accepted: true, Data: rawJSON(`{"id":"1"}`)}, got); diff != "" {
		t.Error(diff)
	}
	if got := parse(t, `{"messages":[`+yes+`,{"content":"never mind"}]}`).Decision(); got != nil {
		t.Errorf("Decision of another message = %v", got)
	}
	if got := new(extension.Request).Decision(); got != nil {
		t.Errorf("Decision of nothing = %v", got)
	}
}

// thread is a chat on github.com: an exchange, the user's login, the context, and the new
// message.
const thread = `{"agent":"bb","messages":[
	{"role":"user","content":"@bb hi","copilot_references":[{"type":"client.file","id":"old"}]},
	{"role":"assistant","content":"ahoy","copilot_references":[{"type":"github.agent","id":"bb"},{"type":"bb.story","id":"s"}]},
	{"role":"assistant","content":""},
	{"role":"user","name":"_session","content":"Current Date and Time (UTC - YYYY-MM-DD HH:MM:SS formatted): 2025-02-09 09:51:05\nCurrent User's Login: octocat\n"},
	{"role":"user","content":"","copilot_references":[{"type":"client.file","id":"a"},{"type":"client.file","id":"b"}]},
	{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}]},
	{"role":"tool","tool_call_id":"c","content":""},
	{"role":"assistant","function_call":{"name":"n"}},
	{"role":"function","name":"n","content":""},
	{"role":"user","content":[{"type":"image_url"}]},
	{"role":"user","content":"and now?","copilot_references":[]}]}`

func TestFind(t *testing.T) {
	r := parse(t, thread)
	for kind, want := range map[string]string{"": "a b bb s old ", "client.file": "a b old ", "bb.story": "s ", "x": ""} {
		got := ""
		for _, ref := range r.Find(kind) {
			got += ref.ID + " "
		}
		if got != want {
			t.Errorf("Find(%q) = %q, want %q", kind, got, want)
		}
	}
}

func TestLogin(t *testing.T) {
	older := `Current Date and Time (UTC): 2024-08-26 19:43:13\nUser's Current URL: https://github.com/a/b\nCurrent User's Login: mona\n`
	for body, want := range map[string]string{
		thread: "octocat",
		`{"messages":[{"role":"user","name":"_session","content":"` + older + `"},{"content":"hi"}]}`:                                                          "mona",
		`{"messages":[{"role":"system","name":"_session","content":"` + older + `"}]}`:                                                                         "mona",
		`{"messages":[{"role":"assistant","name":"_session","content":"` + older + `"}]}`:                                                                      "",
		`{"messages":[{"role":"user","content":"` + older + `"}]}`:                                                                                             "",
		`{"messages":[{"role":"user","name":"_session","content":"Who knows?"}]}`:                                                                              "",
		`{"messages":[{"role":"user","name":"_session","content":"` + older + `"},{"role":"user","name":"_session","content":"Current User's Login: hubot"}]}`: "hubot",
	} {
		if got := parse(t, body).Login(); got != want {
			t.Errorf("Login of %s = %q, want %q", body, got, want)
		}
	}
}

// After a decision no model gets two answers in a row, whatever form the history has.
func TestConversationAfterADecision(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"decisions that the history keeps": {
			`{"messages":[{"role":"user","content":"off"},{"role":"assistant","content":"Sure?"},{"role":"user","content":"","copilot_confirmations":[{"state":"accepted"}]},{"role":"assistant","content":"Done."},
			{"role":"user","content":"on"},{"role":"assistant","content":"Sure?"},{"role":"user","content":"","copilot_confirmations":[{"state":"dismissed"}]}]}`,
			[]string{"user off", "assistant Sure?", "user Accepted.", "assistant Done.", "user on", "assistant Sure?", "user Dismissed."},
		},
		"decisions that the history has emptied": {
			`{"messages":[{"role":"user","content":"off"},{"role":"assistant","content":[{"type":"text","text":"Sure?"}]},{"role":"user","content":""},{"role":"assistant","content":""},{"role":"assistant","content":"Done.","copilot_references":[{"type":"a.b","id":"1"}]},{"role":"user","content":"on"}]}`,
			[]string{"user off", "assistant Sure?\n\nDone.", "user on"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			messages := parse(t, tc.body).Conversation()
			if diff := cmp.Diff(tc.want, inWords(messages)); diff != "" {
				t.Error(diff)
			}
			if m := messages[1]; len(m.Rest) > 0 || len(tc.want) == 3 && len(m.References) != 1 {
				t.Errorf("the two answers became %+v", m)
			}
		})
	}
}

// inWords returns the roles and texts of messages.
func inWords(messages []extension.Message) (words []string) {
	for _, m := range messages {
		words = append(words, m.Role+" "+m.Content)
	}
	return words
}

func TestConversation(t *testing.T) {
	r := parse(t, thread)
	got := inWords(r.Conversation())
	want := []string{"user hi", "assistant ahoy", "assistant ", "tool ", "assistant ", "function ", "user ", "user and now?"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Messages[0].Content != "@bb hi" {
		t.Errorf("the request was changed to %q", r.Messages[0].Content)
	}
}
