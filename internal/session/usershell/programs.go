package usershell

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// programs are the programs that clients have started with session.shell.exec. They end with
// the session. It is safe for concurrent use.
type programs struct{ *programTable }

type programTable struct {
	mu      sync.Mutex // guards the rest
	closed  bool
	running map[string]*shell.Running
	waiting sync.WaitGroup // for their ends
}

// defaultTimeout is the protocol's for a program.
const defaultTimeout = 30 * time.Second

// Exec starts a program of the user and returns its id at once. The output is sent as ephemeral
// tool.execution_partial_result events with that id as the tool call, and its end as an
// ephemeral session.info event. dir is where it starts, "" for the working directory; after
// timeout, 0 for 30 seconds, it is killed with everything that it has started.
func (u *Shell) Exec(ctx context.Context, command, dir string, timeout time.Duration) (id string, err error) {
	const op = "session.shell.exec"
	if strings.TrimSpace(command) == "" {
		return "", fault.New(fault.Invalid, op, u.id, "the command is empty")
	}
	if timeout == 0 {
		timeout = defaultTimeout
	}
	start, err := mailbox.Ask(ctx, u.session.Do, func() (func(shell.Script, func(string)) (*shell.Running, error), error) {
		if dir = filepath.Clean(dir); !filepath.IsAbs(dir) {
			dir = filepath.Join(u.session.State().Cwd, dir)
		}
		if u.programs.programTable == nil {
			u.programs.programTable = &programTable{running: map[string]*shell.Running{}}
		}
		return u.session.Starter(), nil
	})
	if err != nil {
		return "", err
	}
	if start == nil {
		return "", fault.New(fault.Unavailable, op, u.id, "there is no shell on this system")
	}
	id = wire.NewID()
	r, err := u.programs.add(id, func() (*shell.Running, error) {
		return start(shell.Script{Text: command, Dir: dir}, func(text string) {
			u.session.Notify("", &wire.ToolPartialResult{ToolCallID: id, PartialOutput: text})
		})
	})
	if err != nil {
		return "", err
	}
	u.session.Go("session.shell", func() { u.follow(id, r, timeout) })
	return id, nil
}

// follow waits for the end of a program, and ends it after its timeout.
func (u *Shell) follow(id string, r *shell.Running, timeout time.Duration) {
	defer u.programs.waiting.Done()
	late := time.AfterFunc(timeout, func() { r.Signal(shell.Kill) })
	code := r.Wait()
	why := ""
	if !late.Stop() {
		why = "timeout"
	}
	u.programs.remove(id)
	info := &wire.SessionInfo{InfoType: wire.InfoShellExit, Message: "A program of the user has ended."}
	u.session.Emit("", wire.WithJSON(info, wire.FieldExit, wire.ProgramExit{ProcessID: id, ExitCode: code, Reason: why}))
}

// Signal sends a signal to a program that Exec has started. It reports false if there is none
// of that id, or if it has ended.
func (u *Shell) Signal(ctx context.Context, id string, sig shell.Signal) (sent bool, err error) {
	table, err := mailbox.Ask(ctx, u.session.Do, func() (programs, error) { return u.programs, nil })
	if err != nil || table.programTable == nil {
		return false, err
	}
	table.mu.Lock()
	r := table.running[id]
	table.mu.Unlock()
	return r != nil && r.Signal(sig), nil
}

// add starts a program unless there are too many, or the session is closing.
func (p programs) add(id string, start func() (*shell.Running, error)) (*shell.Running, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, fault.New(fault.Unavailable, "session.shell.exec", "", "the session is closing")
	case len(p.running) >= maxCommands:
		return nil, fault.New(fault.Unavailable, "session.shell.exec", "", "%d programs are running already", maxCommands)
	}
	r, err := start()
	if err == nil {
		p.running[id] = r
		p.waiting.Add(1)
	}
	return r, err
}

func (p programs) remove(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, id)
}

// Closing returns a function that kills the programs that run and waits for their ends. It is
// not called on the session's goroutine. No program starts afterwards.
func (u *Shell) Closing() (stop func()) {
	if u.programs.programTable == nil {
		return func() {}
	}
	return u.programs.stop
}

func (p programs) stop() {
	p.mu.Lock()
	p.closed = true
	for _, r := range p.running {
		r.Signal(shell.Kill)
	}
	p.mu.Unlock()
	p.waiting.Wait()
}
