package usershell_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/usershell"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// bash is a tool for commands: "sleep" runs until it is killed, "break" panics before it begins, and
// others print what they are.
type bash struct{}

func (bash) Definition() tool.Definition { return tool.Definition{Name: fact.Bash} }

func (bash) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	if strings.Contains(string(c.Arguments), "break") {
		panic("broken")
	}
	return &permit.Request{Kind: permit.Shell}, nil
}

func (bash) Run(ctx context.Context, c tool.Call) tool.Result {
	if strings.Contains(string(c.Arguments), "sleep") {
		<-ctx.Done()
		return tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
	}
	return tool.Result{Outcome: tool.Success, Text: "a long text", Exit: &tool.Exit{}}
}

// scene is a session with the commands of its user.
type scene struct {
	statetest.Session
	*usershell.Shell
	tool tool.Tool
	logs bytes.Buffer
}

func newScene() *scene {
	s := &scene{tool: bash{}}
	s.Shell = usershell.New(usershell.Options{Session: s, ID: "s1", FS: vfs.NewMem(), Logs: slog.New(slog.NewTextHandler(&s.logs, nil))})
	return s
}

func (s *scene) Tool() tool.Tool { return s.tool }

func (s *scene) Starter() func(shell.Script, func(string)) (*shell.Running, error) { return nil }

func (s *scene) Shells() *shell.Shells { return nil }

func (s *scene) Keeper() func(tool.Result) tool.Result { return shorten }

// shorten keeps one word of a text.
func shorten(res tool.Result) tool.Result {
	res.Text, _, _ = strings.Cut(res.Text, " ")
	return res
}

// results are the recorded results of commands: their texts or errors.
func (s *scene) results() (texts []string) {
	for _, e := range s.Sent() {
		if e.Type == "tool.execution_complete" {
			data := wire.Raw(e.Data)
			texts = append(texts, data.Get("result").Get("content").Text()+data.Get("error").Get("message").Text())
		}
	}
	return texts
}

// The client reads the whole result of a command, and the log holds what the model reads.
func TestACommandHasOneResult(t *testing.T) {
	s := newScene()
	got, err := s.Execute(t.Context(), "r", "make")
	if err != nil || !got.Success || !strings.HasPrefix(got.Output, "a long") || s.Busy() || s.Runs(got.ToolCallID) {
		t.Errorf("Execute = %+v, %v, want the whole output", got, err)
	}
	got, err = s.Execute(t.Context(), "r", "break")
	if err != nil || got.Success || got.Error == nil || !strings.Contains(s.logs.String(), "broken") {
		t.Errorf("Execute = %+v, %v, want the failure of a tool that panics; logged: %s", got, err, &s.logs)
	}
	if want := []wire.EventType{"tool.user_requested", "tool.execution_complete", "tool.user_requested", "tool.execution_complete"}; !slices.Equal(s.Types(), want) {
		t.Errorf("recorded: %v, want %v", s.Types(), want)
	}
	if results := s.results(); results[0] != "a" {
		t.Errorf("the log holds %q, want what was kept of the result", results)
	}
}

// A command that was not recorded as begun does not run.
func TestACommandThatCannotBegin(t *testing.T) {
	s := newScene()
	s.Broken = errors.New("the disk is full")
	if _, err := s.Execute(t.Context(), "r", "make"); !errors.Is(err, s.Broken) || s.Busy() {
		t.Errorf("Execute = %v, want the error of the log", err)
	}
	s.Broken, s.tool = nil, nil
	if _, err := s.Execute(t.Context(), "r", "make"); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Execute = %v without a shell, want Unavailable", err)
	}
	if _, err := s.Execute(t.Context(), "r", " "); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Execute = %v for an empty command, want Invalid", err)
	}
	if _, err := s.Exec(t.Context(), "make", "", 0); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Exec = %v without a shell, want Unavailable", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out := s.Message(ctx, "make", shorten, nil); !out.Aborted || !errors.Is(out.Err, context.Canceled) {
		t.Errorf("Message = %+v after an abort, want none", out)
	}
	if len(s.Sent()) > 0 {
		t.Errorf("recorded: %v, want nothing", s.Types())
	}
}

// While a command runs, others of the same name are refused, and a session that closes kills it.
func TestACommandThatIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, done := newScene(), make(chan wire.UserCommandResult)
		go func() {
			got, _ := s.Execute(t.Context(), "r", "sleep")
			done <- got
		}()
		synctest.Wait()
		if _, err := s.Execute(t.Context(), "r", "make"); fault.KindOf(err) != fault.Conflict {
			t.Errorf("a second command of that id: %v, want Conflict", err)
		}
		s.Session.Close()
		_ = s.Post(t.Context(), func() error { s.CancelAll(); return nil })
		if got := <-done; got.Error == nil || s.Busy() {
			t.Errorf("Execute = %+v, want the result of a killed command", got)
		}
		if results := s.results(); len(results) != 1 || !strings.HasPrefix(results[0], "The") {
			t.Errorf("recorded results: %q, want that of the killed command", results)
		}
	})
}

// A message that is a command runs within a run, which records its result.
func TestAMessageIsACommand(t *testing.T) {
	s := newScene()
	out := s.Message(t.Context(), "make", shorten, func(events ...wire.Data) error { return s.Record("", events...) })
	if out.Err != nil || out.Aborted {
		t.Errorf("Message = %+v", out)
	}
	if results := s.results(); !slices.Equal(results, []string{"a"}) {
		t.Errorf("recorded results: %q, want what was kept", results)
	}
}

// Before a tool has run, no command runs in the background.
func TestNothingRunsInTheBackground(t *testing.T) {
	s := newScene()
	s.Fold.Cwd = "/w"
	if list, err := s.Jobs().List(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("List = %v, %v", list, err)
	}
	if err := s.Jobs().Stop(t.Context(), "sh1"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Stop = %v, want NotFound", err)
	}
	if dir, err := s.Jobs().Folder(t.Context()); err != nil || dir != "/w" {
		t.Errorf("Folder = %q, %v, want the working directory", dir, err)
	}
}
