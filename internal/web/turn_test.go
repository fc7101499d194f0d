package web_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/web"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func withText(text string, r modeltest.Reply) modeltest.Reply {
	r.Text = text
	return r
}

// approveElsewhere is a program on an SDK that has joined the session.
func (p *process) approveElsewhere() {
	p.t.Helper()
	dirs, err := p.disk.ReadDir("/home/session-state")
	if err != nil {
		p.t.Fatal(err)
	}
	ctx := context.Background()
	c, err := p.sessions.Resume(ctx, wire.Config{SessionID: dirs[0].Name(), ContinuePendingWork: true}, nil, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	list, err := c.Session().Permissions().Pending(ctx)
	if err != nil || len(list.Items) != 1 {
		p.t.Fatalf("pending: %v, %v", list, err)
	}
	if ok, err := c.Session().Permissions().Answer(ctx, list.Items[0].RequestID, permit.Answer{Outcome: permit.Approved}); !ok || err != nil {
		p.t.Fatalf("AnswerPermission = %v, %v", ok, err)
	}
	if err := c.Detach(ctx); err != nil {
		p.t.Fatal(err)
	}
}

func TestSourcesAreReferences(t *testing.T) {
	bubble(t, local, func(p *process) {
		same(p.t, "the answer", p.say("t1", "Look around.").wire, `text "Looking.\n\nSeen."
copilot_references [{"type":"sidestick.file","id":"docs/a b.md","data":{"path":"docs/a b.md"},"is_implicit":false,"metadata":{"display_name":"docs/a b.md"}},`+
			`{"type":"sidestick.url","id":"https://go.dev/doc/?q=1","data":{"url":"https://go.dev/doc/?q=1"},"is_implicit":false,`+
			`"metadata":{"display_name":"go.dev/doc","display_url":"https://go.dev/doc/?q=1"}}]`+"\n")
		same(p.t, "they are one answer's", p.say("t1", "And?").wire, "text \"Nothing.\"\n")
	}, withText("Looking.", call("c1", "view", `{"path":"/work/docs/a b.md"}`)), call("c1", "view", `{"path":"docs/a b.md"}`),
		call("c1", "web_fetch", `{"url":"https://go.dev/doc/?q=1"}`), call("c1", "view", `{"path":"missing.md"}`),
		call("c1", "web_fetch", `{"url":"https://me:secret@go.dev/"}`), says("Seen."), says("Nothing."))
}

func TestReferencesAreBounded(t *testing.T) {
	var replies []modeltest.Reply
	for i := range 25 {
		replies = append(replies, call("c", "view", `{"path":"`+strings.Repeat("x", i+1)+`"}`))
	}
	bubble(t, local, func(p *process) {
		if n := strings.Count(p.say("t1", "All of it.").wire, "sidestick.file"); n != 20 {
			p.t.Errorf("%d references, want 20", n)
		}
	}, append(replies, says("Seen."))...)
}

func TestWhatTheRequestRefersTo(t *testing.T) {
	const refs = `[{"type":"client.file","id":"src/a.go","data":{"content":"package a\n","language":"go"}},
		{"type":"client.file","id":"src/a.go","data":{"content":"package a\n","language":"go"}},
		{"type":"client.selection","id":"src/b.go","data":{"content":"return nil","start":{"line":4,"col":0},"end":{"line":4,"col":10}}},
		{"type":"github.repository","id":"octo/hello","data":{"name":"hello","ownerLogin":"octo","ref":"refs/heads/main","description":"A start"}},
		{"type":"github.current-url","id":"https://github.com/octo/hello","data":{"url":"https://github.com/octo/hello"}},
		{"type":"github.redacted","id":"x","data":{"type":"github.file"}},
		{"type":"sidestick.file","id":"old.md","data":{"path":"old.md"}},
		{"type":"blackbeard.story","id":"1","data":{"ship":"Adventure"},"metadata":{"display_name":"A story"}}]`
	bubble(t, local, func(p *process) {
		p.send("t1", `{"role":"user","content":"","copilot_references":`+refs+`},{"role":"user","content":"What is this?"}`)
		same(p.t, "the model read", p.conversation(), `user: <ide_selection>
The user has the following text selected in their IDE. This may or may not be related to their request.
File: src/b.go (line 5)
`+"```\nreturn nil\n```"+`
</ide_selection>



What is this?



<github_references>
octo/hello@main - A start [repository]
https://github.com/octo/hello [url]
</github_references>

<attachment name="src/a.go" type="text/plain">
package a
</attachment>

<extension_context extension="sidestick" title="withheld">
The platform withholds something of the type github.file that the user refers to: this agent may not see it.
</extension_context>

<extension_context extension="blackbeard.story" title="A story">
{"ship":"Adventure"}
</extension_context>
`)
		p.send("t1", `{"role":"user","content":"What is this?","copilot_references":`+refs+`},{"role":"assistant","content":"Code."},{"role":"user","content":"Thanks."}`)
		if got := p.conversation(); !strings.HasSuffix(got, "assistant: Code.\nuser: Thanks.\n") {
			p.t.Errorf("what the session knows was told again:\n%s", got)
		}
	}, says("Code."), says("Welcome."))
}

// The references of an answer in words reach the model with it.
func TestWhatAnAnswerRefersTo(t *testing.T) {
	const refs = `[{"type":"client.file","id":"b.go","is_implicit":true,"data":{"content":"package b"}},
		{"type":"client.file","id":"a.go","is_implicit":false,"data":{"content":"package a"}}]`
	bubble(t, local, func(p *process) {
		same(p.t, "the question", p.say("t1", "Paint it.").wire, "text \"Like what?\\n\"\n")
		got := p.send("t1", `{"role":"user","content":"Paint it."},{"role":"assistant","content":"Like what?"},{"role":"user","content":"Like this.","copilot_references":`+refs+`}`)
		same(p.t, "the answer", got.wire, `text "Painted."
copilot_references [{"type":"sidestick.file","id":"wall.go","data":{"path":"wall.go"},"is_implicit":false,"metadata":{"display_name":"wall.go"}}]`+"\n")
		if read := p.conversation(); !strings.HasSuffix(read, `
tool: User responded: Like this.
user: What my answer refers to:



<attachment name="a.go" type="text/plain">
package a
</attachment>
`) {
			p.t.Errorf("the model read:\n%s", read)
		}
	}, call("c1", "view", `{"path":"wall.go"}`), call("c2", "ask_user", `{"question":"Like what?"}`), says("Painted."))
}

// A session that is new to a conversation reads the earlier messages.
func TestAThreadThatBeganElsewhere(t *testing.T) {
	bubble(t, local, func(p *process) {
		p.send("t1", `{"role":"user","content":"@pilot I am Ada."},{"role":"assistant","content":"Hello."},
			{"role":"user","name":"_session","content":"Current User's Login: ada"},{"role":"user","content":"Who am I?"}`)
		same(p.t, "the model read", p.conversation(), `user: Who am I?



<attachment name="the conversation so far" type="text/plain">
What was said before this message, in the same conversation:

## user

I am Ada.

## assistant

Hello.
</attachment>
`)
	}, says("Ada."))
}

func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name    string
		replies []modeltest.Reply
		want    string // a part
	}{
		{"of the model", []modeltest.Reply{{Status: 400, Body: `{"error":{"message":"no such model"}}`}}, `copilot_errors [{"type":"agent","code":"query","message":"`},
		{"of a model that is down", []modeltest.Reply{{Status: 500, Body: `{"error":{"message":"on fire"}}`, Repeat: true}}, `copilot_errors [{"type":"agent","code":"`},
		{"of a tool that the model gets over", []modeltest.Reply{call("c1", "view", `{"path":"missing.md"}`), says("It is not there.")}, "text \"It is not there.\"\n"},
		{"of a tool, and no word more", []modeltest.Reply{call("c1", "view", `{"path":"missing.md"}`), {}, {}}, `copilot_errors [{"type":"function","code":"failure","message":"`},
		{"nothing was said", nil, `"code":"empty"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				prompt := "Go."
				if tc.replies == nil {
					prompt = "  "
				}
				got := p.say("t1", prompt).wire
				if !strings.Contains(got, tc.want) || strings.HasPrefix(tc.want, "text") && got != tc.want {
					p.t.Errorf("answered:\n%s\nwant %s", got, tc.want)
				}
			}, tc.replies...)
		})
	}
}

// hangUp sends a message, reads until nothing more comes, and disconnects.
func (p *process) hangUp(thread, text string) {
	p.t.Helper()
	ctx, leave := context.WithCancel(p.t.Context())
	resp := p.post(ctx, "/", body(thread, `{"role":"user","content":`+quote(text)+`}`))
	go func() { _, _ = io.Copy(io.Discard, resp.Body) }()
	synctest.Wait()
	leave()
	synctest.Wait()
}

func TestWhoLeavesAbortsTheRun(t *testing.T) {
	bubble(t, local, func(p *process) {
		p.hangUp("t1", "Go.")
		events := p.stored()
		if last := events[len(events)-1]; last.Type != "assistant.turn_end" && last.Type != "abort" {
			p.t.Errorf("the log ends with %s", last.Type)
		}
		aborted := 0
		for _, e := range events {
			if e.Type == "abort" {
				aborted++
			}
		}
		if aborted != 1 {
			p.t.Errorf("%d aborts, want 1", aborted)
		}
		same(p.t, "the next answer", p.say("t1", "Again.").wire, "text \"Here.\"\n")
	}, modeltest.Silent(), says("Here."))
}

func TestAnOpenQuestionIsNotAborted(t *testing.T) {
	bubble(t, local, func(p *process) {
		ctx, leave := context.WithCancel(p.t.Context())
		a := p.read(p.post(ctx, "/", body("t1", `{"role":"user","content":"Deploy."}`)))
		leave()
		synctest.Wait()
		same(p.t, "the answer", p.decide("t1", a.confirmation, "accepted").wire, "text \"It is out.\"\n")
	}, call("c1", "bash", deploy), says("It is out."))
}

func TestOneAnswerAtATimeForAThread(t *testing.T) {
	bubble(t, local, func(p *process) {
		ctx, leave := context.WithCancel(p.t.Context())
		first := p.post(ctx, "/", body("t1", `{"role":"user","content":"Go."}`))
		go func() { _, _ = io.Copy(io.Discard, first.Body) }()
		synctest.Wait()
		if got := p.say("t1", "Hello?").wire; !strings.Contains(got, `"code":"busy","message":"The previous answer is still being written.`) {
			p.t.Errorf("the same thread was answered:\n%s", got)
		}
		same(p.t, "another thread", p.say("t2", "Hello?").wire, "text \"Hi.\"\n")
		leave()
		synctest.Wait()
	}, modeltest.Silent(), says("Hi."))
}

func TestTooManyAtOnce(t *testing.T) {
	bubble(t, web.Options{Loopback: true, Answers: 1}, func(p *process) {
		ctx, leave := context.WithCancel(p.t.Context())
		first := p.post(ctx, "/", body("t1", `{"role":"user","content":"Go."}`))
		go func() { _, _ = io.Copy(io.Discard, first.Body) }()
		synctest.Wait()
		if got := p.say("t2", "Hello?").wire; !strings.Contains(got, `"code":"overloaded"`) {
			p.t.Errorf("one more was answered:\n%s", got)
		}
		leave()
		synctest.Wait()
		same(p.t, "then", p.say("t2", "Hello?").wire, "text \"Hi.\"\n")
	}, modeltest.Silent(), says("Hi."))
}

// A question is kept on disk when its session leaves memory to make room for others.
func TestMoreThreadsThanAreKept(t *testing.T) {
	bubble(t, web.Options{Loopback: true, Kept: 1}, func(p *process) {
		a := p.say("t1", "Deploy.")
		if _, err := p.elsewhere(a.session()); fault.KindOf(err) != fault.Conflict || err == nil {
			p.t.Errorf("another process got in beside us: %v", err)
		}
		same(p.t, "another", p.say("t2", "Hi.").wire, "text \"Hello.\"\n")
		leave, err := p.elsewhere(a.session())
		if err != nil {
			p.t.Errorf("the session is still in memory: %v", err)
		} else {
			leave()
		}
		same(p.t, "the decision", p.decide("t1", a.confirmation, "accepted").wire, "text \"It is out.\"\n")
	}, call("c1", "bash", deploy), says("Hello."), says("It is out."))
}

// session returns the session of a confirmation's question.
func (a answer) session() string { return sessions.FindString(string(a.confirmation)) }

// elsewhere opens a session as another process does, and keeps its open questions.
func (p *process) elsewhere(id string) (leave func(), err error) {
	other := *p
	other.start()
	c, err := other.sessions.Resume(p.t.Context(), wire.Config{SessionID: id, RequestPermission: new(true), ContinuePendingWork: true}, nil, nil)
	leave = func() {
		if err := c.Suspend(p.t.Context()); err != nil {
			p.t.Errorf("Suspend: %v", err)
		}
		other.stop()
	}
	if err != nil {
		other.stop()
	}
	return leave, err
}

// Another client of the session may close or delete it.
func TestASessionThatSomebodyElseHasClosed(t *testing.T) {
	for name, do := range map[string]func(p *process, id string) error{
		"closed": func(p *process, id string) error {
			c, err := p.sessions.Resume(context.Background(), wire.Config{SessionID: id}, nil, nil)
			if err != nil {
				return err
			}
			return c.Session().Close(context.Background())
		},
		"deleted": func(p *process, id string) error { return p.sessions.Delete(context.Background(), id) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				a := p.say("t1", "Deploy.")
				if err := do(p, a.session()); err != nil {
					p.t.Fatal(err)
				}
				same(p.t, "the decision", p.decide("t1", a.confirmation, "accepted").wire, settled)
				same(p.t, "what ran", p.ran.String(), "")
				same(p.t, "afterwards", p.say("t1", "Well?").wire, "text \"Here.\"\n")
			}, call("c1", "bash", deploy), says("Here."))
		})
	}
}

// A run that another client has started is not mixed up with an answer.
func TestARunThatIsStillUnderWay(t *testing.T) {
	bubble(t, local, func(p *process) {
		p.say("t1", "Deploy.")
		p.approveElsewhere()
		synctest.Wait()
		if got := p.say("t1", "Well?").wire; !strings.Contains(got, `"code":"busy","message":"The run before is still under way.`) {
			p.t.Errorf("answered:\n%s", got)
		}
	}, call("c1", "bash", deploy), modeltest.Silent())
}

func TestABodyThatIsTooLong(t *testing.T) {
	bubble(t, local, func(p *process) {
		resp := p.post(p.t.Context(), "/", body("t1", `{"role":"user","content":"`+strings.Repeat("x", 11<<20)+`"}`))
		if resp.StatusCode != 413 {
			p.t.Errorf("status %d, want 413", resp.StatusCode)
		}
		_ = resp.Body.Close()
		resp = p.post(p.t.Context(), "/v1/chat/completions", `{"messages":[{"role":"user","content":"`+strings.Repeat("x", 11<<20)+`"}]}`)
		data, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != 413 || !bytes.Contains(data, []byte(`"invalid_request_error"`)) {
			p.t.Errorf("status %d %s, want 413", resp.StatusCode, data)
		}
	})
}
