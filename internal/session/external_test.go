package session_test

import (
	"context"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client aborts a run and then lets its tool end, whose result it sends at once. The log already has the abort,
// so the result is refused, and the model reads that the call was interrupted.
func TestAResultAfterTheAbortIsRefused(t *testing.T) {
	const runs = 40 // a result that overtook the end of its call was taken in some of them
	replies := make([]modeltest.Reply, runs)
	for i := range replies {
		replies[i] = modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", "{}")}}
	}
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Tools: []wire.Tool{{Name: "lookup", SkipPermission: true}}})
		for range runs {
			s.send("look it up")
			call := s.until("external_tool.requested")
			if err := s.s.Abort(context.Background(), ""); err != nil {
				t.Fatal(err)
			}
			if s.reply(field(call, "requestId"), `"result":"too late"`) {
				t.Error("the result was taken")
			}
			s.until("session.idle")
		}
	}, replies...)
}

// The same holds for the answer to a question.
func TestAnAnswerAfterTheAbortIsRefused(t *testing.T) {
	const runs = 40
	replies := make([]modeltest.Reply, runs)
	for i := range replies {
		replies[i] = modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask_user", `{"question":"Which one?"}`)}}
	}
	equipped(t, func(d *desk) {
		s := d.createWith(wire.Config{SessionID: "s1", RequestUserInput: yes()}, &leaving{})
		for range runs {
			s.send("go")
			asked := s.until("user_input.requested")
			if err := s.s.Abort(context.Background(), ""); err != nil {
				t.Fatal(err)
			}
			taken, err := s.s.Questions().AnswerUserInput(context.Background(), field(asked, "requestId"), wire.UserInputAnswer{Answer: "too late"})
			if taken || err != nil {
				t.Errorf("the answer is taken: %t, %v", taken, err)
			}
			s.until("session.idle")
		}
	}, replies...)
}
