package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
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

// The token that the process was given for its agent goes to that agent and to no other.
func TestOnlyTheConfiguredAgentGetsTheToken(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		d.stop()
		d.start(session.Options{Provider: session.Provider{Model: theAgent, AgentToken: "ghu_secret", Missing: errors.New("no model")}})
		s := d.create(wire.Config{SessionID: "s1"})
		for _, name := range []string{theAgent, theAgent + "/too", theAgent} {
			if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: name}); err != nil {
				t.Fatal(err)
			}
			s.send("hello")
			s.until("session.idle")
		}
		var got []string
		for _, h := range d.agent.header {
			got = append(got, h.Get("X-GitHub-Token"))
		}
		if want := []string{"ghu_secret", "", "ghu_secret"}; !slices.Equal(got, want) {
			t.Errorf("the agents got the tokens %q, want %q", got, want)
		}
		if strings.Contains(fmt.Sprint(d.stored("s1")), "ghu_secret") {
			t.Error("the token is in the log")
		}
	})
}

func TestAProviderOfTheTypeExtension(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		cfg := wire.Config{SessionID: "s1", Model: "whatever", Provider: &wire.Provider{
			Type: "extension", BaseURL: "https://agent.test/parrot", BearerToken: "ghu_secret", Headers: map[string]string{"X-Team": "blue"},
		}}
		s := d.create(cfg)
		s.send("hello")
		s.until("session.idle")
		if got := field(last(t, s.rest(), "assistant.message"), "content"); got != "You said: hello" {
			t.Errorf("the answer is %q:\n%s", got, types(s.told))
		}
		if h := d.agent.header[0]; h.Get("X-GitHub-Token") != "ghu_secret" || h.Get("X-Team") != "blue" {
			t.Errorf("the headers are %v", h)
		}
		for _, e := range d.stored("s1") {
			if strings.Contains(string(e.Data), "ghu_secret") {
				t.Errorf("the token is in the log: %s", e.Data)
			}
		}
	})
}

// An agent's references come back to it, as it wrote them, also after a restart.
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

func TestErrorsOfAnAgentAreWarnings(t *testing.T) {
	fails := func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
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

func TestAgentsThatCannotBeCalledAreRefusedWhenTheyAreNamed(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		for _, tc := range []struct {
			name, address string
			remote        bool
			why           string
		}{
			{"no URL", "agent", false, "not an https URL"},
			{"a file", "file:///etc/passwd", false, "not an https URL"},
			{"nothing", "", false, "not an https URL"},
			{"http elsewhere", "http://agent.test/", false, "by https"},
			{"a password", "https://me:pw@agent.test/", false, "user name or password"},
			{"loopback for another machine", "http://127.0.0.1:8080/", true, "private address"},
			{"a private address for another machine", "https://192.168.0.1/", true, "private address"},
			{"its own name for another machine", "http://localhost/", true, "private address"},
			{"where clouds keep their keys", "https://169.254.169.254/", true, "private address"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				for _, cfg := range []wire.Config{
					{SessionID: "bad", Model: "extension:" + tc.address, Remote: tc.remote},
					{SessionID: "bad", Provider: &wire.Provider{Type: "extension", BaseURL: tc.address}, Remote: tc.remote},
				} {
					_, err := d.reg.Create(context.Background(), cfg, nil)
					if fault.KindOf(err) != fault.Invalid || err == nil || !strings.Contains(err.Error(), tc.why) || strings.Contains(err.Error(), "me:pw") {
						t.Errorf("Create = %v, want %q", err, tc.why)
					}
				}
				if m, err := d.reg.Metadata(context.Background(), "bad"); m != nil || err != nil {
					t.Errorf("a session was left behind: %v, %v", m, err)
				}
			})
		}
	})
}

func TestAModelThatIsSwitchedToIsCheckedToo(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Remote: true})
		err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "extension:https://10.0.0.1/"})
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("SwitchModel = %v", err)
		}
		if e := s.rest(); count(e, "session.model_change") != 0 {
			t.Error("it was recorded")
		}
	})
}

// Agents and models may take turns in a session. An agent is told what was said to it,
// and nothing that was said to a model; a model sees all of its session.
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

// Turns and time bound a run with an agent; tokens, which nobody counts, do not.
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

// In autopilot a model is told to go on until it is done; what an agent does is its own.
// It is offered no tools.
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

func TestAnAgentForAClientOnAnotherMachine(t *testing.T) {
	inPrivate := func(t *testing.T, s *seat) {
		t.Helper()
		s.send("hello")
		s.until("session.idle")
		if e := last(t, s.rest(), "session.error"); !strings.Contains(field(e, "message"), "private") {
			t.Errorf("the error is %s, want that the address is private", e.Data)
		}
	}
	t.Run("a name that leads nowhere public", func(t *testing.T) {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			inPrivate(t, d.create(wire.Config{SessionID: "s1", Model: "extension:https://metadata.internal/", Remote: true}))
		})
	})
	t.Run("one that a client of this machine has named", func(t *testing.T) {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			d.create(wire.Config{SessionID: "s1", Model: "extension:http://127.0.0.1:1/"})
			inPrivate(t, d.resume(wire.Config{SessionID: "s1", Remote: true}))
		})
	})
	t.Run("the one that the process was started with", func(t *testing.T) {
		withAgent(t, parrot, func(d *desk) {
			d.stop()
			d.start(session.Options{Provider: session.Provider{Model: theAgent, Missing: errors.New("no model")}})
			s := d.create(wire.Config{SessionID: "s1", Remote: true})
			s.send("hello")
			s.until("session.idle")
			if got := field(last(t, s.rest(), "assistant.message"), "content"); got != "You said: hello" {
				t.Errorf("the agent says %q:\n%s", got, types(s.told))
			}
		})
	})
}

// What is said to a run goes to whom the run began with, also if the model was switched
// meanwhile: the agent is not told it later.
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

// Which agent the process was started with is its owner's choice: a client on another
// machine may name it, too.
func TestTheProcessesOwnAgentMayBeNamedFromElsewhere(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		const own = "extension:http://127.0.0.1:8080/"
		d.stop()
		d.start(session.Options{Provider: session.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: own}})
		s := d.create(wire.Config{SessionID: "s1", Model: own, Remote: true})
		for _, name := range []string{"m", own} {
			if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: name}); err != nil {
				t.Errorf("SwitchModel(%s) = %v", name, err)
			}
		}
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: own + "other"}); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("SwitchModel to another = %v", err)
		}
	})
}

// Calls of a model that an agent's run goes on with are still the hooks' to refuse.
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

// The token of a session's provider is for that agent, and for no other that it is
// switched to.
func TestATokenIsForItsOwnAgentOnly(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Provider: &wire.Provider{
			Type: "extension", BaseURL: "https://agent.test/parrot", BearerToken: "ghu_secret", Headers: map[string]string{"X-Team": "blue"},
		}})
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: theAgent + "/other"}); err != nil {
			t.Fatal(err)
		}
		s.send("hello")
		s.until("session.idle")
		d.agent.request(t, 0)
		if h := d.agent.header[0]; h.Get("X-GitHub-Token") != "" || h.Get("X-Team") != "" {
			t.Errorf("the headers are %v", h)
		}
	})
}

// A session that a client on another machine has configured calls no private address,
// also once a client of this machine has joined.
func TestASessionFromElsewhereStaysOne(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.create(wire.Config{SessionID: "s1", Remote: true})
		s := d.resume(wire.Config{SessionID: "s1"})
		err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "extension:https://10.0.0.1/"})
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("SwitchModel = %v", err)
		}
	})
}
