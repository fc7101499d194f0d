package session_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Reasoning goes back to the model that it came from, the same after a resume as before,
// and to no other model.
func TestAResumedSessionSendsTheSameReasoning(t *testing.T) {
	thought := `{"id":"x","model":"m-2026","choices":[{"index":0,"delta":{"reasoning_text":"They greet.","reasoning_opaque":"c2lnbmVk/+=="}},` +
		`{"index":0,"delta":{"content":"Hello."},"finish_reason":"stop"}]}`
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Streaming: yes()})
		for _, text := range []string{"Hi.", "How are you?"} {
			s.send(text)
			s.until("session.idle")
		}
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		s = d.resume(wire.Config{SessionID: "s1", Streaming: yes()})
		s.send("And now?")
		s.until("session.idle")
		want := map[string]any{"role": "assistant", "content": "Hello.", "reasoning_text": "They greet.", "reasoning_opaque": "c2lnbmVk/+=="}
		for _, n := range []int{1, 2} {
			if diff := cmp.Diff(want, firstAnswer(t, d.model.Requests()[n].Raw)); diff != "" {
				t.Errorf("request %d (-want +got):\n%s", n, diff)
			}
		}
		if err := s.client.Detach(context.Background()); err != nil {
			t.Fatal(err)
		}
		s = d.resume(wire.Config{SessionID: "s1", Streaming: yes(), Model: "other"})
		s.send("And you?")
		s.until("session.idle")
		if diff := cmp.Diff(map[string]any{"role": "assistant", "content": "Hello."}, firstAnswer(t, d.model.Requests()[3].Raw)); diff != "" {
			t.Errorf("another model (-want +got):\n%s", diff)
		}
	}, modeltest.Reply{Events: []string{thought, "[DONE]"}}, modeltest.Reply{Text: "Well."}, modeltest.Reply{Text: "Still."}, modeltest.Reply{Text: "I too."})
}

// firstAnswer returns the first assistant message of a request.
func firstAnswer(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var req struct{ Messages []map[string]any }
	if err := json.Unmarshal(body, &req); err != nil {
		t.Fatal(err)
	}
	for _, m := range req.Messages {
		if m["role"] == "assistant" {
			return m
		}
	}
	return nil
}
