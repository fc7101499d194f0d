package session_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// looping is a text that repeats itself, and keptOfLooping what is kept of it.
var looping, keptOfLooping = "I begin here: " + strings.Repeat("the end of the task, and ", 400), "I begin here: the end of the task, and" // its space is the end of the cycle, too

// stopping is a desk that stops answers which repeat themselves.
func stopping(t *testing.T, f func(d *desk), replies ...modeltest.Reply) {
	t.Helper()
	bubble(t, &desk{fs: vfs.NewMem(), tools: delegating, loops: true}, f, replies...)
}

// stops are the messages of the warnings that an answer repeated itself.
func stops(events []wire.Event) (out []string) {
	for _, e := range events {
		if e.Type == "session.warning" && field(e, "warningType") == wire.WarningIncomplete && field(e, wire.FieldFinish) == wire.FinishRepetition {
			out = append(out, field(e, "message"))
		}
	}
	return out
}

// The text up to the first copy is in the history and in the next request, where the model reads what has happened. The
// second such answer of a run ends it; in the next run, and in the next process, the model may have one more.
func TestAnAnswerThatRepeatsItselfIsKeptUpToItsFirstCopy(t *testing.T) {
	loop := modeltest.Reply{Text: looping}
	stopping(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		got := stops(s.told)
		if len(got) != 2 || !strings.HasSuffix(got[0], "The model is told so, and goes on once.") || !strings.Contains(got[1], "The run ends, because that happened before.") {
			t.Errorf("the warnings are %q", got)
		}
		const told = "<reminder>Your last message was repeating itself and was stopped."
		want := "user: go\nassistant: " + keptOfLooping + "\nuser: " + told
		if talk := d.conversation(); !strings.HasPrefix(talk, want) || len(d.model.Requests()) != 2 {
			t.Errorf("the second of %d requests is\n%s", len(d.model.Requests()), talk)
		}
		if e := last(t, d.stored("s1"), "assistant.message"); field(e, "content") != keptOfLooping || field(e, wire.FieldFinish) != wire.FinishRepetition {
			t.Errorf("the log has %s", e.Data)
		}
		if count(s.told, "session.error") != 0 {
			t.Errorf("an error:\n%s", types(s.told))
		}

		d.crash()
		s = d.resume(tools())
		s.send("again")
		s.until("session.idle")
		requests, talk := d.model.Requests(), ""
		for _, m := range requests[len(requests)-1].Messages {
			talk += m.Content + "\n"
		}
		if got := stops(s.told); len(got) != 1 || strings.Count(talk, keptOfLooping+"\n") != 3 || strings.Count(talk, told) != 3 {
			t.Errorf("warnings %q, the last request:\n%s", got, talk)
		}
	}, loop, loop, loop, modeltest.Reply{Text: "Done."})
}

// An abort while an answer begins to repeat itself is an abort.
func TestAnAbortInALoop(t *testing.T) {
	stopping(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		for range 10 { // 160 characters, and 400 are needed
			s.until("assistant.message_delta")
		}
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		if idle := s.until("session.idle"); field(idle, "aborted") != "true" {
			t.Errorf("session.idle is %s", idle.Data)
		}
		if got := stops(s.rest()); got != nil || len(d.model.Requests()) != 1 {
			t.Errorf("%d requests, warnings %q", len(d.model.Requests()), got)
		}
	}, modeltest.Reply{Text: looping, Gap: time.Second})
}

// A sub-agent whose answers repeat themselves is told once, and then has failed. The agent that has started it reads why.
func TestASubAgentThatRepeatsItself(t *testing.T) {
	stopping(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		checkEnds(t, s.told, 1)
		const why = "The answer was repeating itself and was stopped."
		if failed := last(t, s.told, "subagent.failed"); field(failed, "error") != why {
			t.Errorf("subagent.failed is %s", failed.Data)
		}
		if result := field(last(t, s.told, "tool.execution_complete"), "error", "message"); !strings.Contains(result, why) || len(result) > 1000 {
			t.Errorf("the agent that has started it reads %q", result)
		}
		if n := len(d.model.Requests()); n != 4 {
			t.Errorf("%d requests, want two of each agent", n)
		}
	},
		first("do job", modeltest.Reply{Text: looping, Repeat: true}),
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "job", "sync")}},
		modeltest.Reply{Text: "Done."})
}

// A summary that repeats itself is none: the conversation stays as it is.
func TestASummaryThatRepeatsItselfIsNotKept(t *testing.T) {
	stopping(t, func(d *desk) {
		s := d.create(tools())
		s.send("go")
		s.until("session.idle")
		if _, err := s.s.Compaction().Run(context.Background(), ""); err == nil || !strings.Contains(err.Error(), "no complete summary: The answer was repeating itself") {
			t.Errorf("Compaction = %v", err)
		}
		if e := s.until("session.compaction_complete"); field(e, "success") != "false" || strings.Contains(string(e.Data), "the end of the task") {
			t.Errorf("compaction_complete is %s", e.Data)
		}
		s.send("and now?")
		s.until("session.idle")
		if talk := d.conversation(); talk != "user: go\nassistant: Hello.\nuser: and now?\n" {
			t.Errorf("the next request is\n%s", talk)
		}
	}, modeltest.Reply{When: asksForSummary, Text: "<overview>" + looping, Repeat: true}, modeltest.Reply{Text: "Hello."}, modeltest.Reply{Text: "Done."})
}

// closing notes how the bodies of answers end.
type closing struct {
	http.RoundTripper
	bodies []*closingBody
}

type closingBody struct {
	io.ReadCloser
	ended, closed bool // by the server, by the client before that
}

func (c *closing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost { // and not the list of models
		b := &closingBody{ReadCloser: resp.Body}
		c.bodies, resp.Body = append(c.bodies, b), b
	}
	return resp, err
}

func (b *closingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err != nil
	return n, err
}

func (b *closingBody) Close() error {
	b.closed = !b.ended
	return b.ReadCloser.Close()
}

// In every dialect a loop in the text, in the reasoning and in arguments ends the call at once, and its connection is
// closed, which is how a server learns that nobody reads any more: here it sends some copies, and then waits for that.
func TestEachDialectStopsALoop(t *testing.T) {
	arguments, _ := json.Marshal(map[string]string{"q": looping})
	for _, u := range upstreams {
		for _, tc := range []struct {
			name  string
			part  strict.Part
			stall int // after so many events, of some 6 characters
		}{
			{"text", strict.Part{Text: looping}, 150},
			{"reasoning", strict.Part{Reasoning: looping}, 150},
			{"arguments", strict.Part{Call: &strict.Call{Name: "look", Arguments: string(arguments)}}, 800},
		} {
			if u.vendor == strict.Chat && tc.part.Reasoning != "" {
				continue // OpenAI shows none
			}
			if (u.vendor == strict.Gemini || u.vendor == strict.Ollama) && tc.part.Call != nil {
				continue // arguments come in one piece there, so they have ended
			}
			t.Run(u.name+"/"+tc.name, func(t *testing.T) {
				u.loops(t, tc.name, strict.Reply{Parts: []strict.Part{tc.part}, StallAfter: tc.stall})
			})
		}
	}
}

func (u upstream) loops(t *testing.T, kind string, loop strict.Reply) {
	var fake *strict.Server
	u.endpoint.APIKey = strict.Key
	d := &desk{fs: vfs.NewMem(), loops: true, opts: registry.Options{Provider: provider.Provider{Endpoint: u.endpoint, Model: u.model}}}
	wires := &closing{RoundTripper: roundTrip(func(r *http.Request) (*http.Response, error) { return fake.Transport().RoundTrip(r) })}
	d.calls = wires
	bubble(t, d, func(d *desk) {
		fake = strict.New(u.vendor, loop, strict.Say("In other words."))
		defer fake.Close()
		cfg := tools("look")
		cfg.ReasoningSummary = "detailed"
		s := d.create(cfg)
		began := time.Now()
		s.send("go")
		s.until("session.idle")
		synctest.Wait()
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %v: the server was waited for", took)
		}
		if len(wires.bodies) < 1 || !wires.bodies[0].closed {
			t.Error("the client has not closed the connection")
		}
		got := stops(s.told)
		if len(got) != 1 || count(s.told, "external_tool.requested") != 0 || len(fake.Requests()) != 2 {
			t.Errorf("%s: %d requests, warnings %q:\n%s", kind, len(fake.Requests()), got, types(s.told))
		}
		answer := ""
		for _, e := range s.told {
			if e.Type == "assistant.message" {
				answer += string(e.Data)
			}
		}
		if n := strings.Count(answer, "the end of the task"); n > 3 || !strings.Contains(answer, "In other words.") {
			t.Errorf("%d copies are kept: %s", n, answer)
		}
		if refused := fake.Refused(); len(refused) > 0 {
			t.Errorf("the fake refused: %s", strings.Join(refused, "\n"))
		}
	})
}

// A loop in a thought, or in a call, that comes as text of a server without parsers is stopped while it arrives. The
// thought is none of the answer, and nothing is kept beyond the first copy.
func TestALoopInTextThatIsNoAnswerIsStopped(t *testing.T) {
	const copies = "the end of the task"
	for name, begin := range map[string]string{
		"thought":     "<think>",
		"call":        "I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"q\": \"",
		"fenced call": "```json\n{\"name\": \"look\", \"arguments\": {\"q\": \"",
	} {
		t.Run(name, func(t *testing.T) {
			stopping(t, func(d *desk) {
				s := d.create(tools("look"))
				s.send("go")
				s.until("session.idle")
				if got := stops(s.told); len(got) != 1 || len(d.model.Requests()) != 2 || count(s.told, "external_tool.requested") != 0 {
					t.Errorf("%d requests, warnings %q", len(d.model.Requests()), got)
				}
				kept, streamed := "", ""
				for _, e := range s.told {
					switch e.Type {
					case "assistant.message":
						kept += field(e, "content") + field(e, "reasoningText")
						if name == "thought" && strings.Contains(field(e, "content"), copies) {
							t.Errorf("the thought is the answer: %s", e.Data)
						}
					case "assistant.message_delta":
						streamed += field(e, "deltaContent")
					}
				}
				if n := strings.Count(kept, copies); n < 1 || n > 2 {
					t.Errorf("%d copies are kept: %s", n, kept)
				}
				if n := strings.Count(streamed, copies); n > 0 {
					t.Errorf("%d copies are streamed as the answer", n)
				}
				if n := strings.Count(d.conversation(), copies); n > 2 {
					t.Errorf("%d copies are in the next request", n)
				}
			}, modeltest.Reply{Text: begin + looping + strings.Repeat(copies+", and ", 100)}, modeltest.Reply{Text: "In other words."})
		})
	}
}
