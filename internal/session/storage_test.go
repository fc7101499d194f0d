package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/clientfstest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// keeper is a client that keeps its sessions.
type keeper struct {
	peer
	storage *clientfs.Storage
	leave   context.CancelFunc
}

func (k *keeper) Storage() *clientfs.Storage { return k.storage }

// connect is a connection of a client with these files.
func connect(f *clientfstest.Client) *keeper {
	ctx, leave := context.WithCancel(context.Background())
	call := func(callCtx context.Context, method string, params, result any) error {
		if ctx.Err() != nil {
			return errors.New("the connection is closed")
		}
		return f.Call(callCtx, method, params, result)
	}
	return &keeper{leave: leave, storage: clientfs.New(clientfs.Options{Call: call, Connection: ctx, StatePath: "/state", Cwd: "/work", SQLite: f.Query != nil})}
}

const keptLog = "/state/events.jsonl"

func TestClientKeepsASession(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		f := &clientfstest.Client{}
		k := connect(f)
		defer k.leave()
		s := d.createWith(wire.Config{SessionID: "s1"}, k)
		s.send("What is 1 + 1?")
		s.until("session.idle")
		if err := s.s.Workspace().UpdatePlan(context.Background(), "# Plan"); err != nil {
			t.Error(err)
		}
		if s.s.Dir() != "/state" {
			t.Errorf("Dir() = %q", s.s.Dir())
		}
		if err := s.client.Detach(context.Background()); err != nil {
			t.Error(err)
		}
		for path, want := range map[string]string{
			keptLog: "two, as the model says", "/state/plan.md": "# Plan", "/state/workspace.yaml": "id: ", "/state/checkpoints/index.md": "| # |",
		} {
			if got := f.File("s1", path); !strings.Contains(got, want) {
				t.Errorf("%s does not contain %q: %q", path, want, got)
			}
		}
		if last := f.File("s1", keptLog); !strings.Contains(last, "session.shutdown") {
			t.Error("the end of the session was not recorded")
		}
		if entries, err := d.fs.ReadDir("/home/session-state"); err != nil || len(entries) != 1 || len(leftHere(t, d.fs)) != 0 {
			t.Errorf("this machine keeps %v and %q, %v", entries, leftHere(t, d.fs), err)
		}
		if list, err := d.reg.List(context.Background(), wire.SessionContext{}); err != nil || len(list) != 0 {
			t.Errorf("this machine lists %v, %v", list, err)
		}
		if _, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "s1"}, nil, nil); fault.KindOf(err) != fault.NotFound || err == nil {
			t.Errorf("Resume by a client that does not keep it = %v", err)
		}
		again := d.resumeWith(wire.Config{SessionID: "s1"}, k)
		again.send("And that times two?")
		again.until("session.idle")
		if n := len(d.model.Requests()); n != 2 {
			t.Fatalf("the model got %d requests", n)
		}
		if body := string(d.model.Requests()[1].Raw); !strings.Contains(body, "What is 1 + 1?") {
			t.Errorf("the history is not in the request: %s", body)
		}
	}, modeltest.Reply{Text: "two, as the model says"}, modeltest.Reply{Text: "four"})
}

// When the client leaves that keeps it, a session leaves memory, also if it works and other
// clients are attached.
func TestKeeperLeaves(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		f := &clientfstest.Client{}
		k := connect(f)
		cfg := tools("look")
		s := d.createWith(cfg, k)
		other := d.resume(wire.Config{SessionID: "s1"})
		s.send("Look.")
		s.until("external_tool.requested")
		begun := time.Now()
		k.leave()
		<-s.s.Closed()
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %v", took)
		}
		if e := other.until("session.idle"); e.Type == "" {
			t.Error("another client is not told that the run has ended")
		}
		if err := other.s.Workspace().UpdatePlan(context.Background(), "x"); err == nil {
			t.Error("a plan was stored")
		}
		if entries, err := d.fs.ReadDir("/home/session-state"); err != nil || len(entries) != 1 || len(leftHere(t, d.fs)) != 0 {
			t.Errorf("this machine keeps %v and %q, %v", entries, leftHere(t, d.fs), err)
		}
		back := connect(f) // the program reconnects
		defer back.leave()
		again := d.resumeWith(cfg, back)
		again.send("Are you there?")
		again.until("session.idle")
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "look", `{"q":"x"}`)}}, modeltest.Reply{Text: "yes"})
}

// A client that does not answer delays its session for a bounded time, after which nothing is
// recorded in it any more.
func TestKeeperStalls(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		f := &clientfstest.Client{}
		var stalled atomic.Bool
		f.Before = func(ctx context.Context, method, _ string) error {
			if stalled.Load() && method == "appendFile" {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		k := connect(f)
		defer k.leave()
		s := d.createWith(wire.Config{SessionID: "s1"}, k)
		stalled.Store(true)
		begun := time.Now()
		_, err := s.s.Send(context.Background(), wire.Send{Prompt: "Hello?"})
		if fault.KindOf(err) != fault.Unavailable || err == nil || !strings.Contains(err.Error(), "did not answer") {
			t.Errorf("Send() = %v", err)
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("it took %v", took)
		}
		stalled.Store(false)
		if err := s.client.Detach(context.Background()); err != nil {
			t.Error(err)
		}
		again := d.resumeWith(wire.Config{SessionID: "s1"}, k)
		again.send("Hello?")
		again.until("session.idle")
	}, modeltest.Reply{Text: "hello"})
}

func TestKeptElsewhere(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		k := connect(&clientfstest.Client{})
		defer k.leave()
		if d.reg.KeptHere() {
			t.Error("KeptHere() without a session")
		}
		d.createWith(wire.Config{SessionID: "kept"}, k)
		if d.reg.KeptHere() {
			t.Error("KeptHere() with a session that a client keeps")
		}
		d.create(wire.Config{SessionID: "here"})
		if !d.reg.KeptHere() {
			t.Error("not KeptHere() with a session here")
		}
		_, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "here"}, k, nil)
		if fault.KindOf(err) != fault.Conflict || err == nil {
			t.Errorf("Resume of a session kept elsewhere = %v", err)
		}
		if _, err := d.reg.Fork(context.Background(), "kept", "", ""); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("Fork() = %v", err)
		}
	})
}

func TestDeleteOfAKeptSession(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		f := &clientfstest.Client{}
		k := connect(f)
		defer k.leave()
		for _, id := range []string{"open", "closed"} {
			s := d.createWith(wire.Config{SessionID: id}, k)
			if id == "closed" {
				if err := s.client.Detach(context.Background()); err != nil {
					t.Error(err)
				}
			}
			if err := d.reg.DeleteKept(context.Background(), id, k.storage); err != nil || f.File(id, keptLog) != "" {
				t.Errorf("DeleteKept(%q) = %v; the log is %q", id, err, f.File(id, keptLog))
			}
		}
		d.createWith(wire.Config{SessionID: "open"}, k)
		if err := d.reg.Delete(context.Background(), "open"); err != nil || f.File("open", keptLog) != "" {
			t.Errorf("Delete() by another client = %v", err)
		}
		d.create(wire.Config{SessionID: "here"})
		if err := d.reg.DeleteKept(context.Background(), "here", k.storage); err != nil {
			t.Errorf("DeleteKept() of a session here = %v", err)
		}
		if err := d.reg.DeleteKept(context.Background(), "none", k.storage); fault.KindOf(err) != fault.NotFound || err == nil {
			t.Errorf("DeleteKept() of no session = %v", err)
		}
	})
}

// The tools of the model cannot reach the storage of a client: they get a copy of the plan.
func TestPlanOfAKeptSession(t *testing.T) {
	d := &desk{fs: vfs.NewMem()}
	var plans []string
	d.tools = func(h tool.Host) session.Toolbox {
		edit := &planTool{run: func() {
			path := h.Dir() + "/plan.md"
			old, _ := d.fs.ReadFile(path) // "" if there is none
			plans = append(plans, string(old))
			if err := d.fs.MkdirAll(h.Dir(), 0o700); err != nil {
				t.Error(err)
			}
			if err := vfs.WriteFileAtomic(d.fs, path, []byte(string(old)+"step\n"), 0o600); err != nil {
				t.Error(err)
			}
		}}
		return session.Toolbox{Tools: []tool.Tool{edit}}
	}
	calls := modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "write_plan", `{}`)}}
	bubble(t, d, func(d *desk) {
		f := &clientfstest.Client{}
		k := connect(f)
		defer k.leave()
		s := d.createWith(wire.Config{SessionID: "s1"}, k)
		for _, want := range []string{"step\n", "# Mine\nstep\n"} {
			s.send("Plan.")
			s.until("session.idle")
			if got := f.File("s1", "/state/plan.md"); got != want {
				t.Errorf("the plan is %q, want %q", got, want)
			}
			if err := s.s.Workspace().UpdatePlan(context.Background(), "# Mine\n"); err != nil {
				t.Error(err)
			}
		}
		if len(plans) != 2 || plans[1] != "# Mine\n" {
			t.Errorf("the model read %q", plans)
		}
		if system := d.model.Requests()[0].Messages[0].Content; strings.Contains(system, "/state/plan.md") {
			t.Error("the model is sent to a file that its tools cannot reach")
		}
	}, calls, modeltest.Reply{Text: "ok"}, calls, modeltest.Reply{Text: "ok"})
}

// planTool is a built-in tool that runs a function.
type planTool struct{ run func() }

func (*planTool) Definition() tool.Definition {
	return tool.Definition{Name: "write_plan", Parameters: json.RawMessage(`{"type":"object"}`), Origin: tool.Builtin, Trusted: true}
}

func (p *planTool) Run(context.Context, tool.Call) tool.Result {
	p.run()
	return tool.Result{Outcome: tool.Success, Text: "done"}
}

func TestDatabaseOfAKeptSession(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		f := &clientfstest.Client{Query: func(way, _ string) clientfstest.Answer {
			if way == "query" {
				return clientfstest.Answer{"columns": []string{"id", "title", "description", "status", "created_at"}, "rows": []clientfstest.Answer{
					{"id": "a", "title": "T", "description": "", "status": "done", "created_at": ""},
				}}
			}
			return clientfstest.Answer{"columns": []string{}, "rows": []string{}}
		}}
		for _, with := range []bool{true, false} {
			if !with {
				f.Query = nil
			}
			k := connect(f)
			s := d.createWith(wire.Config{SessionID: map[bool]string{true: "with", false: "without"}[with]}, k)
			todos, err := s.s.Workspace().Todos(context.Background())
			if (err == nil) != with || with && (len(todos.Rows) != 1 || *todos.Rows[0].ID != "a") {
				t.Errorf("with databases %v: Todos() = %v, %v", with, todos.Rows, err)
			}
			k.leave()
			synctest.Wait()
		}
	})
}

var _ registry.Keeper = (*keeper)(nil)
