package session_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// traced is a disk that fails the test if a session's goroutine waits for it: there only
// the log is written, claimed, released and closed.
func traced(t *testing.T, fsys vfs.FS) vfs.FS {
	return vfs.Fail(fsys, func(op vfs.Op) error {
		if trace := onLoop(); trace != "" {
			t.Errorf("the session's goroutine waits for %s of %s:\n%s", op.Name, op.Path, trace)
		}
		return nil
	})
}

// onLoop is the stack of the caller if it runs on a session's goroutine, and not for the
// log; else "".
func onLoop() string {
	var stack strings.Builder
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		_, name, _ := strings.Cut(frame.Function, "/internal/")
		switch name {
		case "eventlog.(*Log).AppendWith", "eventlog.(*Log).Claim", "eventlog.(*Log).Release", "eventlog.(*Log).Close",
			"session/journal.(*Journal).Claim", // which reads what other processes have added
			"session.(*Session).Folded.func1":  // which only tests call
			return ""
		case "session.(*Session).loop":
			return stack.String()
		}
		stack.WriteString(frame.Function + "\n")
		if !more {
			return ""
		}
	}
}

// No command of a conversation that uses files waits for them on the session's goroutine.
// [play] checks the same of random sessions.
func TestTheDiskIsReadBesideTheSession(t *testing.T) {
	mem := vfs.NewMem()
	file := func(name, text string) {
		(&desk{t: t, fs: mem}).file(name, text)
	}
	file("/work/.git/HEAD", "ref: refs/heads/main\n")
	file("/work/AGENTS.md", "Be brief.\n")
	file("/work/a.txt", "text\n")
	file("/work/.github/hooks/h.json", commands("preToolUse", "true"))
	file("/other/.git/HEAD", "ref: refs/heads/main\n")
	p := &scripts{}
	opts := registry.Options{
		RunScript: p.run, Permissions: "/home/permissions.json", Home: "/home", UserHome: "/home/u",
		Resolve: func(path string) string {
			if trace := onLoop(); trace != "" {
				t.Errorf("the session's goroutine resolves %s:\n%s", path, trace)
			}
			return path
		},
		Programs: func() []string {
			if trace := onLoop(); trace != "" {
				t.Errorf("the session's goroutine looks for programs:\n%s", trace)
			}
			return nil
		},
	}
	box := func(h tool.Host) session.Toolbox {
		b := toolbox(h)
		b.Tools = append(b.Tools, echo{})
		b.Close = func() {
			if trace := onLoop(); trace != "" {
				t.Errorf("the session's goroutine closes the tools:\n%s", trace)
			}
		}
		return b
	}
	bubble(t, &desk{fs: traced(t, mem), tools: box, opts: opts}, converseWithFiles, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "bash", `{"command":"ls"}`)}}, modeltest.Reply{Text: "a summary", Repeat: true})
}

// converseWithFiles runs a conversation with attachments, an approval that is saved, two
// resumes and another working directory.
func converseWithFiles(d *desk) {
	cfg := fileHooks("lookup", "ask")
	cfg.MoreDirectories = []string{"/other"}
	s := d.create(cfg)
	attached := json.RawMessage(`[{"type":"file","path":"/work/a.txt","displayName":"a.txt"}]`)
	for n := range 2 {
		if _, err := s.s.Send(d.t.Context(), wire.Send{Prompt: "read", Attachments: attached}); err != nil {
			d.t.Fatal(err)
		}
		if n == 0 {
			id := field(s.until("permission.requested"), "requestId")
			_, err := s.s.Permissions().Answer(d.t.Context(), id, permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation})
			if err != nil {
				d.t.Error(err)
			}
		}
		s.until("session.idle")
	}
	useFiles(d, s)
	d.resume(cfg)
	if _, err := s.s.Settings().SetWorkingDirectory(d.t.Context(), "/other"); err != nil {
		d.t.Error(err)
	}
	d.resume(cfg)
	if err := s.s.Close(d.t.Context()); err != nil {
		d.t.Error(err)
	}
}

// useFiles does in a session what uses files beside the log.
func useFiles(d *desk, s *seat) {
	ctx := d.t.Context()
	check := func(err error) {
		d.t.Helper()
		if err != nil {
			d.t.Error(err)
		}
	}
	check(s.s.Workspace().UpdatePlan(ctx, "# Plan\n"))
	check(s.s.Workspace().CreateFile(ctx, "notes.md", "text"))
	check(s.s.Settings().SetName(ctx, "named"))
	check(s.s.Permissions().AddFolder(ctx, "/other"))
	_, err := s.s.Permissions().ApplyLocation(ctx, "")
	check(err)
	_, err = s.s.Snapshot(ctx)
	check(err)
	_, err = s.s.Metrics().Measure(ctx)
	check(err)
	_, err = s.s.Discovery().Skills(ctx)
	check(err)
	_, err = s.s.History().Events(ctx)
	check(err)
}
