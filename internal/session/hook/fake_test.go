package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recorder stands for the session: it keeps what is recorded.
type recorder struct {
	mu     sync.Mutex
	events []wire.Data
	agents []string // of the events
}

func (*recorder) Cwd() string { return "/repo/sub" }

func (*recorder) PermissionMode() string { return "default" }

func (r *recorder) Record(agentID string, d wire.Data) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events, r.agents = append(r.events, d), append(r.agents, agentID)
}

// log is what was recorded, one line for each event.
func (r *recorder) log() (lines []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.events {
		switch d := d.(type) {
		case *wire.HookStart:
			lines = append(lines, "start "+d.HookType)
		case *wire.HookEnd:
			line := "end " + d.HookType
			if d.Error != nil {
				line += ": " + d.Error.Message
			}
			lines = append(lines, line)
		case *wire.SessionWarning:
			lines = append(lines, "warning "+d.Message)
		case *wire.SessionInfo:
			lines = append(lines, "info "+d.Message)
		}
	}
	return lines
}

// peer is a client whose hooks answer with a function.
type peer func(ctx context.Context, kind string, input map[string]any) (any, error)

func (p peer) Call(ctx context.Context, method string, params, result any) error {
	if method != "hooks.invoke" {
		return errors.New("unexpected method " + method)
	}
	m := params.(map[string]any)
	output, err := p(ctx, m["hookType"].(string), m["input"].(map[string]any))
	if err != nil {
		return err
	}
	b, err := json.Marshal(map[string]any{"output": output})
	if err != nil {
		return err
	}
	return json.Unmarshal(b, result)
}

// always is a client whose hooks give the same output to every call.
func always(output any) peer {
	return func(context.Context, string, map[string]any) (any, error) { return output, nil }
}

type object = map[string]any

// repository is hook files in a repository at /repo, and the programs they call.
type repository struct {
	trusted bool
	disk    *vfs.Mem
	outputs map[string]string // by command
	ran     []shell.Script
}

func (r *repository) file(t *testing.T, name, text string) {
	t.Helper()
	path := "/repo/.github/hooks/" + name
	if r.disk == nil {
		r.disk = vfs.NewMem()
	}
	if err := r.disk.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(r.disk, path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (r *repository) files() *hook.Files {
	return &hook.Files{
		FS: r.disk, Resolve: filepath.Clean, Secrets: []string{"KEY"},
		Counts: func(string, string) error {
			if r.trusted {
				return nil
			}
			return projectfiles.ErrUntrusted
		},
		RunScript: func(_ context.Context, s shell.Script) (shell.Outcome, error) {
			r.ran = append(r.ran, s)
			return shell.Outcome{Output: []byte(r.outputs[s.Text])}, nil
		},
	}
}

func newHooks(s *recorder, files *hook.Files) *hook.Hooks {
	return hook.New(hook.Options{Session: s, SessionID: "s1", Files: files, Logger: slog.New(slog.DiscardHandler)})
}

var atRepo = hook.FileSearch{Cwd: "/repo/sub", Root: "/repo", Switch: hook.On}

// lookup is a call, as in every test here.
var lookup = hook.Call{ID: "c1", Name: "lookup", Arguments: json.RawMessage(`{"q":"it"}`)}
