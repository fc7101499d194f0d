package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// steer sends a message that is to reach the model with its next call.
func (s *seat) steer(prompt string) {
	s.d.t.Helper()
	if _, err := s.s.Send(context.Background(), wire.Send{Prompt: prompt, Mode: "immediate"}); err != nil {
		s.d.t.Errorf("Send(%q): %v", prompt, err)
	}
}

// The model reads the guidance of a hook right after the result of the tool call, and then
// the message of the user.
func TestASteeringMessageComesAfterTheGuidanceOfHooks(t *testing.T) {
	client, _ := hooking(map[string]any{"postToolUse": map[string]any{"additionalContext": "check it"}})
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.createWith(hookedTools(), client)
		s.send("find it")
		e := s.until("external_tool.requested")
		s.steer("and hurry")
		s.reply(field(e, "requestId"), `"result":"42"`)
		s.until("session.idle")
		want := "user: find it\nassistant: [lookup {\"q\":\"it\"}]\ntool: 42\n" +
			"user: Additional context from a hook, about the call of lookup:\ncheck it\nuser: and hurry\n"
		if got := d.conversation(); got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "done"},
	)
}

// A message that arrives while the request of a turn is made is part of that request, and
// does not wait for the next turn.
func TestASteeringMessageIsPartOfTheTurnThatIsBeingPrepared(t *testing.T) {
	var s *seat
	sent := false
	client := peer{"systemMessage.transform": func(map[string]any) (any, error) {
		if !sent {
			sent = true
			s.steer("and hurry")
		}
		return nil, nil
	}}
	inBubble(t, vfs.NewMem(), func(d *desk) {
		cfg := tools("lookup")
		cfg.SystemMessage = &wire.SystemMessageSet{Mode: "customize", Sections: map[string]wire.SectionOverride{"identity": {Action: "transform"}}}
		s = d.createWith(cfg, client)
		s.send("find it")
		s.until("session.idle")
		if got, want := d.conversation(), "user: find it\nuser: and hurry\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
		if n := len(d.model.Requests()); n != 1 {
			t.Errorf("the model was asked %d times, want once", n)
		}
		for _, e := range s.rest() {
			if e.Type == "user.message" && strings.Contains(field(e, "content"), "hurry") && field(e, "delivery") != "steering" {
				t.Errorf("the message was delivered as %q", field(e, "delivery"))
			}
		}
	}, modeltest.Reply{Text: "done", Repeat: true})
}
