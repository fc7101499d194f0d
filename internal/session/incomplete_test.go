package session_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// incomplete is what the last message and the last warning say about the end of the answer.
func incomplete(events []wire.Event) (message, warning, text string) {
	for _, e := range events {
		switch {
		case e.Type == "assistant.message":
			message = strings.TrimPrefix(field(e, wire.FieldFinish), "null")
		case e.Type == "session.warning" && field(e, "warningType") == "incomplete_answer":
			warning, text = field(e, wire.FieldFinish), field(e, "message")
		}
	}
	return message, warning, text
}

// A run that is resumed does not run a call whose arguments were cut off: the model is told, as it would have
// been without the interruption. The calls before it run.
func TestAResumedRunDoesNotRunACallThatWasCut(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(silently("look"))
		s.send("go")
		s.answer(`"result":"found"`)
		s.until("session.idle")
		n := 0
		for i, e := range d.stored("s1") {
			if e.Type == "assistant.message" {
				n = i + 1
				break
			}
		}
		d.killedAfter(n)
		cfg := silently("look")
		cfg.ContinuePendingWork = true
		s = d.resume(cfg)
		synctest.Wait()
		asked := 0
		for _, e := range d.stored("s1") {
			if e.Type == "external_tool.requested" {
				asked++
				s.reply(field(e, "requestId"), `"result":"found"`)
			}
		}
		s.until("session.idle")
		if asked != 1 {
			t.Errorf("%d calls were made, want the whole one alone", asked)
		}
		if talk := d.conversation(); !strings.Contains(talk, "tool: Not run: your answer reached its token limit") || !strings.Contains(talk, "tool: found") {
			t.Errorf("the model read:\n%s", talk)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "look", `{}`), call("c2", "look", `{"q":"a`)}, Finish: "length"},
		modeltest.Reply{Text: "done", Repeat: true},
	)
}

// The answer to a side question says that it is not complete; without any text, the question fails.
func TestASideQuestionSaysThatItsAnswerIsCut(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		answer, err := s.client.EphemeralQuery(context.Background(), "Why?")
		if err != nil || !strings.HasPrefix(answer, "Because\n\n[The answer was cut off") {
			t.Errorf("the answer is %q, %v", answer, err)
		}
		answer, err = s.client.EphemeralQuery(context.Background(), "Why?")
		if err == nil || answer != "" || !strings.Contains(err.Error(), "The answer was cut off") {
			t.Errorf("without text: %q, %v", answer, err)
		}
	}, modeltest.Reply{Text: "Because", Finish: "length"}, modeltest.Reply{Finish: "length"})
}

// An answer in JSON that was cut off is no JSON, and the warning says so.
func TestACutAnswerIsNotTheJSONThatWasAskedFor(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "how many?", ResponseFormat: json.RawMessage(countFormat)}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		message, warning, text := incomplete(d.stored("s1"))
		if message != "length" || warning != "length" || !strings.Contains(text, "It is not the JSON that was asked for.") {
			t.Errorf("the message ends with %q, the warning with %q: %s", message, warning, text)
		}
	}, modeltest.Reply{Text: `{"n":4`, Finish: "length"})
}

// A provider that has paused an answer gets the same conversation again, with what it had said. One that pauses
// again and again ends the run.
func TestAPausedAnswerGoesOn(t *testing.T) {
	paused := modeltest.Reply{Text: "I look around.", Finish: "pause_turn"}
	for name, tc := range map[string]struct {
		replies  []modeltest.Reply
		messages int
		finish   string
	}{
		"once":     {[]modeltest.Reply{paused, {Text: "Done."}}, 2, ""},
		"for ever": {[]modeltest.Reply{{Text: paused.Text, Finish: paused.Finish, Repeat: true}}, 9, "paused"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1"})
				s.send("go")
				s.until("session.idle")
				events := d.stored("s1")
				message, warning, text := incomplete(events)
				if n := count(events, "assistant.message"); n != tc.messages || message != tc.finish || count(events, "session.error") != 0 {
					t.Errorf("%d messages, and the last one ends with %q, want %d and %q:\n%s", n, message, tc.messages, tc.finish, types(events))
				}
				if goesOn := strings.Contains(text, "The model is asked once more."); warning != "paused" || goesOn != (tc.finish == "") {
					t.Errorf("the last warning is %q: %s", warning, text)
				}
				if talk := d.conversation(); !strings.Contains(talk, "assistant: I look around.") {
					t.Errorf("the model read:\n%s", talk)
				}
			}, tc.replies...)
		})
	}
}
