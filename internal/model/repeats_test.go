package model_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// An answer that comes whole, or in one event, is cut if it ends in its repetition. A repetition that something else
// follows was wanted.
func TestOnlyARepetitionAtTheEndOfAnAnswerIsCut(t *testing.T) {
	const copies = "The end of the task.\n"
	long := strings.Repeat(copies, 50)
	call := []modeltest.ToolCall{{ID: "c", Name: "look", Arguments: `{"q":"x"}`}}
	cut := []modeltest.ToolCall{{ID: "c", Name: "look", Arguments: `{"q":"` + long + long + long}}
	for name, tc := range map[string]struct {
		reply modeltest.Reply
		whole bool
	}{
		"in the middle of a text":      {modeltest.Reply{Text: "I begin.\n" + long + "That was it."}, true},
		"and the length is reached":    {modeltest.Reply{Text: "I begin.\n" + long + "That was it, and", Finish: "length"}, true},
		"a text before a call":         {modeltest.Reply{Text: long, ToolCalls: call}, true},
		"a thought before a text":      {modeltest.Reply{Reasoning: long, Text: "That was it."}, true},
		"thoughts in the text":         {modeltest.Reply{Text: "<think>" + long + "</think>\n\nThat was it."}, true},
		"the end of a text":            {modeltest.Reply{Text: "I begin.\n" + long}, false},
		"the end at the limit":         {modeltest.Reply{Text: "I begin.\n" + long + "The e", Finish: "length"}, false},
		"a thought":                    {modeltest.Reply{Reasoning: long, Finish: "length"}, false},
		"a thought that is not closed": {modeltest.Reply{Text: "<think>" + long}, false},
		"arguments":                    {modeltest.Reply{ToolCalls: cut, Finish: "length"}, false},
	} {
		for way, req := range map[string]model.Request{"whole": asked, "one event": asking} {
			if way == "one event" && tc.reply.Reasoning != "" && tc.reply.Text != "" || way == "one event" && tc.reply.Text == long {
				continue // these are several events, and the first of them ends with the repetition
			}
			t.Run(name+"/"+way, func(t *testing.T) {
				reply := tc.reply
				reply.Piece = 1 << 20
				srv := modeltest.NewServer(reply)
				defer srv.Close()
				c := model.New(model.Options{Transport: srv.Transport(), Logger: slog.New(slog.DiscardHandler), StopRepeating: true}, chat.New())
				r, err := c.Stream(t.Context(), endpoint, req, nil)
				if err != nil {
					t.Fatal(err)
				}
				all := model.ReasoningText(r.Reasoning) + r.Text
				for _, c := range r.ToolCalls {
					all += c.Arguments
				}
				if n := strings.Count(all, copies); tc.whole && (n != 50 || r.FinishReason == model.FinishRepetition) || !tc.whole && (n > 1 || r.FinishReason != model.FinishRepetition) {
					t.Errorf("%d copies are kept, finish reason %s", n, r.FinishReason)
				}
				if strings.Contains(r.Text, "<think>") {
					t.Errorf("the thought is the answer: %.40q", r.Text)
				}
			})
		}
	}
}

// Text that is held because it may be calls reaches nobody as a piece of the answer before it is known what it is.
func TestHeldTextReachesNobody(t *testing.T) {
	for _, watched := range []bool{false, true} {
		srv := modeltest.NewServer(modeltest.Reply{Text: `<tool_call>{"name": "look", "arguments": {"q": "x"}}</tool_call>`})
		defer srv.Close()
		c := model.New(model.Options{Transport: srv.Transport(), Logger: slog.New(slog.DiscardHandler), StopRepeating: watched}, chat.New())
		req, calls := asking, 0
		req.Tools = []model.Tool{{Name: "look"}}
		r, err := c.Stream(t.Context(), endpoint, req, func(d model.Delta) {
			if calls++; d.Kind != model.DeltaToolCall {
				t.Errorf("a piece of kind %d: %q", d.Kind, d.Text)
			}
		})
		if err != nil || calls != 1 || len(r.ToolCalls) != 1 {
			t.Errorf("%d pieces, %+v, %v", calls, r, err)
		}
	}
}
