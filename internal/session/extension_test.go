package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestAnAgentTakesThePlaceOfAModel(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		s := d.create(decider())
		s.send("hello")
		s.until("session.idle")
		said := last(t, s.rest(), "assistant.message")
		if field(said, "content") != "You said: hello" || field(said, "model") != theAgent {
			t.Errorf("the answer is %s", said.Data)
		}
		if count(s.told, wire.MessageDelta) == 0 {
			t.Error("the answer did not stream")
		}
		for _, none := range []wire.EventType{"system.message", "session.usage_info", "session.error", "session.warning"} {
			if count(s.told, none) != 0 {
				t.Errorf("a %s was told:\n%s", none, types(s.told))
			}
		}
		if field(last(t, s.told, "assistant.usage"), "inputTokens") != "null" {
			t.Error("tokens were counted that nobody can know")
		}
		checkChain(t, s.told)
		s.send("and again")
		s.until("session.idle")
		got := d.agent.request(t, 1)
		want := []extension.Message{
			{Role: "user", Content: "hello"},
			{Role: "assistant", Content: "You said: hello"},
			{Role: "user", Content: "and again"},
		}
		if diff := cmp.Diff(want, got.Messages); diff != "" {
			t.Errorf("the agent was sent (-want +got):\n%s", diff)
		}
		if first := d.agent.request(t, 0); first.ThreadID == "" || first.ThreadID != got.ThreadID || len(first.ThreadID) != 36 {
			t.Errorf("the thread is %q, then %q", first.ThreadID, got.ThreadID)
		}
		if token := d.agent.header[0].Get("X-GitHub-Token"); token != "" {
			t.Errorf("the agent got a token: %q", token)
		}
		if n := len(d.model.Requests()); n != 0 {
			t.Errorf("a model was asked %d times", n)
		}
	})
}

// An agent gets its own references back, byte for byte, also after a restart.
func TestAnAgentSeesItsReferencesAgain(t *testing.T) {
	const data = `{"z":1,"big":12345678901234567890,"html":"<b>&"}`
	cite := func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		if len(r.Find("parrot.story")) == 0 {
			if err := w.References(extension.Reference{
				Type: "parrot.story", ID: "1", Data: json.RawMessage(data),
				Metadata: extension.Metadata{DisplayName: "Lines 1-13", DisplayURL: "https://parrot.test/story/1"},
			}); err != nil {
				return err
			}
		}
		return w.Text("Once.")
	}
	withAgent(t, cite, func(d *desk) {
		s := d.create(decider())
		s.send("a story")
		s.until("session.idle")
		said := last(t, s.rest(), "assistant.message")
		want := `{"sources":[{"id":"1","provider":"client","title":"Lines 1-13","url":"https://parrot.test/story/1"}],"spans":[]}`
		if got := field(said, "citations"); got != want {
			t.Errorf("the citations are %s, want %s", got, want)
		}
		d.crash()
		s = d.resume(decider())
		s.send("another")
		s.until("session.idle")
		refs := d.agent.request(t, 1).Messages[1].References
		if len(refs) != 1 || string(refs[0].Data) != data || refs[0].Metadata.DisplayName != "Lines 1-13" {
			t.Errorf("the agent was sent %+v, want its own reference", refs)
		}
		if a, b := d.agent.request(t, 0).ThreadID, d.agent.request(t, 1).ThreadID; a != b {
			t.Errorf("the thread was %s and is %s after the restart", a, b)
		}
	})
}

// Agents and models may take turns in a session. An agent receives the messages that
// were sent to it, and none that were sent to a model; a model sees the whole session.
func TestAnAgentHearsOnlyWhatWasSaidToIt(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("a secret")
		s.until("session.idle")
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: theAgent}); err != nil {
			t.Fatal(err)
		}
		s.send("hello")
		s.until("session.idle")
		if diff := cmp.Diff([]extension.Message{{Role: "user", Content: "hello"}}, d.agent.request(t, 0).Messages); diff != "" {
			t.Errorf("the agent was sent (-want +got):\n%s", diff)
		}
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "m"}); err != nil {
			t.Fatal(err)
		}
		s.send("and you?")
		s.until("session.idle")
		if n := count(persisted(s.rest()), "system.message"); n != 1 {
			t.Errorf("%d system messages, want that of the model", n)
		}
		want := "user: a secret\nassistant: kept\nuser: hello\nassistant: You said: hello\nuser: and you?\n"
		if got := d.conversation(); got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	}, modeltest.Reply{Text: "kept"}, modeltest.Reply{Text: "me, too"})
}

func TestAttachmentsForAnAgent(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		disk := d.fs.(*vfs.Mem)
		for name, text := range map[string]string{"/work/src/a.go": "package a\n", "/work/.env": "KEY=secret\n", "/else/b.py": "b = 1\n"} {
			if err := errors.Join(disk.MkdirAll(name[:strings.LastIndex(name, "/")], 0o755), vfs.WriteFileAtomic(disk, name, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		s := d.create(decider())
		attachments := `[{"type":"file","path":"src/a.go"},{"type":"file","path":"/work/.env"},{"type":"file","path":"/else/b.py"},
			{"type":"selection","filePath":"/work/src/a.go","displayName":"a.go","text":"package","selection":{"start":{"line":0,"character":0},"end":{"line":0,"character":7}}},
			{"type":"directory","path":"/work"},{"type":"file","path":"none"}]`
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "look", Attachments: json.RawMessage(attachments)}); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		r := d.agent.request(t, 0)
		if r.Prompt() != "look" {
			t.Errorf("the prompt is %q", r.Prompt())
		}
		var got []string
		for _, ref := range r.Messages[0].References {
			got = append(got, ref.Type+" "+ref.ID+" "+string(ref.Data))
		}
		want := []string{
			`client.file src/a.go {"content":"package a\n","language":"go"}`,
			`client.file .env {"content":"hidden-file","language":"env"}`,
			`client.file b.py {"content":"b = 1\n","language":"python"}`,
			`client.selection src/a.go {"content":"package","start":{"line":0,"col":0},"end":{"line":0,"col":7}}`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the references are (-want +got):\n%s", diff)
		}
		if n := count(s.rest(), "session.warning"); n != 3 { // the hidden one, the folder, the missing one
			t.Errorf("%d warnings, want 3:\n%s", n, types(s.told))
		}
		s.send("again") // the same files are told of, as they were
		s.until("session.idle")
		if diff := cmp.Diff(r.Messages[0], d.agent.request(t, 1).Messages[0]); diff != "" {
			t.Errorf("the first message has changed (-before +after):\n%s", diff)
		}
	})
}

func TestAnAgentIsNotAskedForSummaries(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		s := d.create(decider())
		s.send(strings.Repeat("long ", 200_000)) // far more than a usual window takes
		s.until("session.idle")
		if count(s.told, "session.compaction_start") != 0 || count(s.told, "session.error") != 0 {
			t.Errorf("told:\n%s", types(s.told))
		}
		if _, err := s.s.Compaction().Run(context.Background(), ""); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("Compact = %v", err)
		}
		synctest.Wait()
		if d.agent.calls() != 1 {
			t.Errorf("the agent was called %d times", d.agent.calls())
		}
	})
}

// Turns and time bound a run with an agent; tokens do not, because they are not counted.
func TestABudgetForAnAgent(t *testing.T) {
	withAgent(t, asker, func(d *desk) {
		cfg := decider()
		cfg.Budget = &wire.Budget{MaxTurns: 1, MaxTokens: 1}
		s := d.create(cfg)
		s.send("turn it off")
		s.decide(permit.Answer{Outcome: permit.Approved})
		s.until("session.idle")
		if w := last(t, s.rest(), "session.warning"); !strings.Contains(field(w, "message"), "1 of 1 turns") || d.agent.calls() != 1 {
			t.Errorf("after %d calls: %s", d.agent.calls(), w.Data)
		}
	})
}

// In autopilot a model is asked to continue until it is done; an agent is not. It is
// offered no tools.
func TestAnAgentIsNotTheRuntimesOwn(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		cfg := tools("lookup")
		cfg.Model = theAgent
		s := d.create(cfg)
		autopilot(t, s)
		if d.agent.calls() != 1 || count(s.told, "user.message") != 1 {
			t.Errorf("after %d calls:\n%s", d.agent.calls(), types(s.told))
		}
		if e := last(t, s.told, "assistant.turn_start"); field(e, "newTools") != "null" || strings.Contains(d.agent.bodies[0], "lookup") {
			t.Errorf("it was told of tools: %s, %s", e.Data, d.agent.bodies[0])
		}
	})
}

// A message during a run goes to the model or agent that the run began with, also if the
// client has switched the model meanwhile. The agent does not get it later.
func TestAnAgentDoesNotHearWhatSteeredAModel(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		s := d.create(tools("look"))
		s.send("one")
		id := field(s.until("external_tool.requested"), "requestId")
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: theAgent}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.s.Send(context.Background(), wire.Send{Prompt: "a secret", Mode: "immediate"}); err != nil {
			t.Fatal(err)
		}
		s.reply(id, `"result":"x"`)
		s.until("session.idle")
		s.send("hello")
		s.until("session.idle")
		if diff := cmp.Diff([]extension.Message{{Role: "user", Content: "hello"}}, d.agent.request(t, 0).Messages); diff != "" {
			t.Errorf("the agent was sent (-want +got):\n%s", diff)
		}
		if got := d.conversation(); !strings.HasSuffix(got, "user: a secret\n") {
			t.Errorf("the model read:\n%s", got)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "look", `{"q":"x"}`)}}, modeltest.Reply{Text: "kept"})
}

// Hooks can still refuse the calls of a model that an agent's run continues.
func TestHooksSeeAModelsCallsInAnAgentsRun(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		s := d.create(tools("ask"))
		s.send("go")
		s.until("permission.requested")
		d.crash()
		cfg := tools("ask")
		cfg.Model, cfg.Hooks, cfg.ContinuePendingWork = theAgent, yes(), true
		s = d.resumeWith(cfg, peer{"hooks.invoke": func(p map[string]any) (any, error) {
			if p["hookType"] != "preToolUse" {
				return nil, nil
			}
			return map[string]any{"output": map[string]any{"permissionDecision": "deny", "permissionDecisionReason": "not today"}}, nil
		}})
		s.until("session.idle")
		if got := field(last(t, s.rest(), "tool.execution_complete"), "error", "message"); !strings.Contains(got, "not today") {
			t.Errorf("the call ended with %q", got)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}})
}
