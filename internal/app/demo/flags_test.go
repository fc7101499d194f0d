package demo

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
)

// askKeeper returns the text of an answer, with what went wrong, and what it asks.
func askKeeper(t *testing.T, url, thread string, m extension.Message) (said string, asked *extension.Confirmation) {
	t.Helper()
	r := &extension.Request{ThreadID: thread, Messages: []extension.Message{m}}
	for e, err := range extension.NewClient(extension.ClientOptions{}).Call(t.Context(), url, r) {
		if err != nil {
			t.Fatal(err)
		}
		said += e.Text
		for _, f := range e.Faults {
			said += "error: " + f.Message
		}
		if e.Confirmation != nil {
			asked = e.Confirmation
		}
	}
	return said, asked
}

// TestTheKeeperOfFlags: what it asked is done once, and for the thread that was asked.
func TestTheKeeperOfFlags(t *testing.T) {
	k := newFlagKeeper("http://flags.test")
	srv := httptest.NewServer(k.pages(extension.NewHandler(k.answer, extension.HandlerOptions{Unsigned: true})))
	defer srv.Close()
	_, asked := askKeeper(t, srv.URL, "ann", extension.Message{Role: "user", Content: "Turn off copilot."})
	if asked == nil {
		t.Fatal("nothing is asked")
	}
	decide := func(yes bool) extension.Message {
		return extension.Message{Role: "user", Decisions: []extension.Decision{{Accepted: yes, Data: asked.Data}}}
	}
	for _, tc := range []struct {
		thread  string
		message extension.Message
		want    string
	}{
		{"ben", decide(true), "error: That question was answered already"},
		{"ann", extension.Message{Role: "user", Content: "Which flags are on?"}, "2 of 3 flags are on: copilot, new-editor."},
		{"ann", decide(true), "The flag copilot is off now."},
		{"ann", decide(true), "error: That question was answered already"},
		{"ann", extension.Message{Role: "user", Content: "Turn it on."}, "Which one?"},
		{"ann", extension.Message{Role: "user", Content: "Turn off copilot."}, "The flag copilot is off already."},
		{"ann", extension.Message{Role: "user", Content: "Good morning!"}, "I keep feature flags."},
	} {
		if said, _ := askKeeper(t, srv.URL, tc.thread, tc.message); !strings.HasPrefix(said, tc.want) {
			t.Errorf("%s says %+v: %q, want %q", tc.thread, tc.message, said, tc.want)
		}
	}
	for range maxOpen + 1 { // it forgets, and grows no further
		askKeeper(t, srv.URL, "ann", extension.Message{Role: "user", Content: "Turn on copilot."})
	}
	if n := len(k.asked); n > maxOpen {
		t.Errorf("%d questions are remembered, want %d at most", n, maxOpen)
	}
}
