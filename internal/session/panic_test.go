package session_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// failures counts the panics of fail, so that a test can tell that its code was reached.
var failures atomic.Int32

func fail(what string) {
	failures.Add(1)
	panic(what)
}

// lines is a diagnostic log in memory.
type lines struct {
	mu    sync.Mutex // guards the rest
	bytes []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes = append(l.bytes, p...)
	return len(p), nil
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.bytes)
}

// broken is a client whose code panics in one method.
func broken(method string) peer {
	return peer{method: func(map[string]any) (any, error) { fail("the client's " + method); return nil, nil }}
}

// rotten is a tool that panics when it is asked for its request, or when it runs.
type rotten struct{ asking bool }

func (rotten) Definition() tool.Definition {
	return tool.Definition{Name: "bash", Origin: tool.Builtin}
}

func (r rotten) Request(context.Context, tool.Call) (*permit.Request, *tool.Result) {
	if r.asking {
		fail("the request")
	}
	return &permit.Request{Kind: permit.Read, Tool: "bash", Path: permit.Path{Name: "/work/a", Real: "/work/a"}}, nil
}

func (rotten) Run(context.Context, tool.Call) tool.Result { fail("the tool"); return tool.Result{} }

// rotting is a disk that panics when a file of that name is used.
func rotting(name string) vfs.FS {
	return vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
		if strings.Contains(op.Path, name) {
			fail("the disk")
		}
		return nil
	})
}

func boxOf(tools ...tool.Tool) func(tool.Host) session.Toolbox {
	return func(h tool.Host) session.Toolbox { return session.Toolbox{Tools: tools} }
}

var shellCall = modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "bash", `{"command":"ls"}`)}}

// panicking has code of the host, of hooks and of clients that panics.
var panicking = []struct {
	code  string
	desk  desk
	peer  session.Peer
	cfg   func(*wire.Config)
	reply modeltest.Reply
}{
	{code: "a client's hooks", peer: broken("hooks.invoke"), cfg: func(c *wire.Config) { c.Hooks = yes() }, reply: shellCall},
	{
		code: "a client that is asked a question", peer: broken("userInput.request"), desk: desk{tools: toolbox},
		cfg:   func(c *wire.Config) { c.RequestUserInput = yes() },
		reply: modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask_user", `{"question":"Which?"}`)}},
	},
	{
		code: "a client that is asked about a plan", peer: broken("exitPlanMode.request"), desk: desk{tools: toolbox},
		cfg:   func(c *wire.Config) { c.RequestExitPlan = yes() },
		reply: modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "exit_plan_mode", `{"summary":"a plan"}`)}},
	},
	{code: "a client that rewrites the system message", peer: broken("systemMessage.transform"), cfg: func(c *wire.Config) {
		c.SystemMessage = &wire.SystemMessageSet{Mode: "customize", Sections: map[string]wire.SectionOverride{"identity": {Action: "transform"}}}
	}},
	{code: "the command of a hook", desk: desk{opts: registry.Options{
		RunScript: func(context.Context, shell.Script) (shell.Outcome, error) {
			fail("the script")
			return shell.Outcome{}, nil
		},
	}}, cfg: func(c *wire.Config) { c.EnableFileHooks = yes() }, reply: shellCall},
	{code: "a tool that is asked for its request", desk: desk{tools: boxOf(rotten{asking: true})}, reply: shellCall},
	{code: "a tool that runs", desk: desk{tools: boxOf(rotten{})}, reply: shellCall},
	{code: "the maker of the tools", desk: desk{tools: func(tool.Host) session.Toolbox { fail("the toolbox"); return session.Toolbox{} }}},
	{code: "what closes the tools", desk: desk{tools: func(tool.Host) session.Toolbox {
		return session.Toolbox{Close: func() { fail("the end") }}
	}}},
	{code: "what resolves paths", desk: desk{tools: boxOf(echo{}), opts: registry.Options{
		Resolve: func(string) string { fail("the path"); return "" },
	}}, reply: shellCall},
	{code: "the disk that instructions are read from", desk: desk{fs: rotting("AGENTS.md")}},
	{code: "the disk that the session is described on", desk: desk{fs: rotting("workspace.yaml")}},
	{code: "what looks for programs", desk: desk{opts: registry.Options{Programs: func() []string { fail("the programs"); return nil }}}},
}

// If code of a host, a hook or a client panics, the run ends with exactly one session.idle, the session takes the next message, and it closes.
func TestAPanicEndsNoMoreThanItsRun(t *testing.T) {
	for _, tc := range panicking {
		t.Run(tc.code, func(t *testing.T) {
			var log lines
			if tc.desk.fs == nil {
				tc.desk.fs = vfs.NewMem()
			}
			tc.desk.opts.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			before := failures.Load()
			replies := []modeltest.Reply{{Text: "ok", Repeat: true}}
			if tc.reply.ToolCalls != nil {
				replies = append([]modeltest.Reply{tc.reply}, replies...)
			}
			bubble(t, &tc.desk, func(d *desk) {
				if tc.desk.opts.RunScript != nil {
					d.file("/work/.github/hooks/h.json", commands("preToolUse", "true", "sessionEnd", "true"))
				}
				cfg := wire.Config{SessionID: "s1", RequestPermission: yes()}
				if tc.cfg != nil {
					tc.cfg(&cfg)
				}
				survive(d, d.createWith(cfg, tc.peer))
			}, replies...)
			if failures.Load() == before {
				t.Error("nothing panicked")
			}
			if text := log.text(); !strings.Contains(text, "panic") || !strings.Contains(text, "goroutine ") || !strings.Contains(text, "session_test.fail") {
				t.Errorf("the stack of the panic is not in the diagnostic log:\n%s", text)
			}
		})
	}
}

// survive sends two messages in plan mode, and then closes the session.
func survive(d *desk, s *seat) {
	if err := s.s.Settings().SetMode(d.t.Context(), "plan"); err != nil {
		d.t.Errorf("SetMode: %v", err)
	}
	for n := range 2 {
		s.send("go")
		for _, e := range s.rest() {
			if e.Type == "permission.requested" && count(s.told, "permission.completed") == 0 {
				_, err := s.s.Permissions().Answer(d.t.Context(), field(e, "requestId"), permit.Answer{Outcome: permit.Approved})
				if err != nil {
					d.t.Errorf("Answer: %v", err)
				}
			}
		}
		if idle := count(s.rest(), "session.idle"); idle != n+1 {
			d.t.Fatalf("message %d: %d runs ended, want %d:\n%s", n+1, idle, n+1, types(s.told))
		}
	}
	for _, e := range s.told {
		if text := string(e.Data); strings.Contains(text, "goroutine ") || strings.Contains(text, "_test.go:") {
			d.t.Errorf("a client gets the stack of a panic: %s %s", e.Type, text)
		}
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Hour)
	defer cancel()
	if err := s.s.Close(ctx); err != nil {
		d.t.Errorf("Close: %v", err)
	}
}
