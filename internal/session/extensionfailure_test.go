package session_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Errors beside an answer are warnings, because the answer stands.
func TestErrorsOfAnAgentAreWarnings(t *testing.T) {
	fails := func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		if err := w.Text("That did not work."); err != nil {
			return err
		}
		return w.Errors(extension.Fault{Type: extension.FaultFunction, Code: "recentchanges", Message: "The repository does not exist", Identifier: "github/hello-world"})
	}
	withAgent(t, fails, func(d *desk) {
		s := d.create(decider())
		s.send("go")
		s.until("session.idle")
		w := last(t, s.rest(), "session.warning")
		if field(w, "warningType") != "copilot_errors" || field(w, "message") != "The repository does not exist (function recentchanges github/hello-world)" {
			t.Errorf("the warning is %s", w.Data)
		}
		if w.Ephemeral || count(s.told, "session.error") != 0 || count(s.told, "assistant.turn_end") != 1 {
			t.Errorf("told:\n%s", types(s.told))
		}
	})
}

func TestCallsOfAnAgentThatFail(t *testing.T) {
	answer := func(status int, header, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			name, value, _ := strings.Cut(header, ": ")
			w.Header().Set(name, value)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		})
	}
	for _, tc := range []struct {
		name      string
		handler   http.Handler
		kind, why string
		status    string
	}{
		{"500", answer(500, "Content-Type: text/plain", "database is down"), "server", "database is down", "500"},
		{
			"500, and what the agent says of it",
			answer(500, "Content-Type: text/event-stream", "event: copilot_errors\ndata: [{\"type\":\"agent\",\"code\":\"db\",\"message\":\"It is asleep.\",\"identifier\":\"x\"}]\n\n"),
			"server", "HTTP 500: It is asleep. (agent db x)", "500",
		},
		{"401", answer(401, "Content-Type: text/plain", "who are you?"), "authentication", "who are you?", "401"},
		{"a redirect to another host", answer(302, "Location: https://evil.test/", ""), "", "evil.test", ""},
		{"a page of HTML", answer(200, "Content-Type: text/html", "<!DOCTYPE html><html><body>hi</body></html>"), "protocol", "answered a web page", ""},
		{"silence", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}), "network", "silent for too long", ""},
		{
			"200, and errors in place of an answer",
			answer(200, "Content-Type: text/event-stream", "event: copilot_errors\ndata: [{\"type\":\"agent\",\"code\":\"db\",\"message\":\"It is asleep.\",\"identifier\":\"x\"}]\n\n"),
			"protocol", "agent.test: It is asleep. (agent db x)", "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withHandler(t, nil, tc.handler, func(d *desk) {
				s := d.create(decider())
				s.send("go")
				s.until("session.idle")
				e := last(t, s.rest(), "session.error")
				if !strings.Contains(field(e, "message"), tc.why) || tc.kind != "" && field(e, "errorType") != tc.kind || tc.status != "" && field(e, "statusCode") != tc.status {
					t.Errorf("the error is %s, want %s, %q", e.Data, tc.kind, tc.why)
				}
				if count(s.told, "assistant.message") != 0 || d.agent.calls() != 1 {
					t.Errorf("after %d calls:\n%s", d.agent.calls(), types(s.told))
				}
				checkChain(t, persisted(s.told))
			})
		})
	}
}

func TestAnAgentThatNeverEndsIsAborted(t *testing.T) {
	endless := func(ctx context.Context, _ *extension.Request, w *extension.Writer) error {
		for ctx.Err() == nil {
			if err := w.Text("and "); err != nil {
				return err
			}
			time.Sleep(time.Second)
		}
		return ctx.Err()
	}
	withAgent(t, endless, func(d *desk) {
		s := d.create(decider())
		s.send("go")
		s.until(wire.MessageDelta)
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		idle := s.until("session.idle")
		if field(idle, "aborted") != "true" || count(s.told, "assistant.message") != 0 || count(s.told, "session.error") != 0 {
			t.Errorf("told:\n%s", types(s.told))
		}
	})
}

func TestWhatIsOddAboutAnAnswerIsSaid(t *testing.T) {
	withHandler(t, nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "event: copilot_dream\ndata: {\"sheep\":3}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"Zzz\"}}]}\n\n")
	}), func(d *desk) {
		s := d.create(decider())
		s.send("go")
		s.until("session.idle")
		if w := last(t, s.rest(), "session.warning"); field(w, "warningType") != "copilot_answer" || !strings.Contains(field(w, "message"), "copilot_dream") {
			t.Errorf("the warning is %s", w.Data)
		}
		if got := field(last(t, s.told, "assistant.message"), "content"); got != "Zzz" {
			t.Errorf("the answer is %q", got)
		}
	})
}
