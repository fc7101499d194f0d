package session

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// UserShell runs the commands that a client sends for its user, independently of the runs of
// the model. No permission rule applies to them, and they run outside of any sandbox, because
// the user has typed them. Commands that are messages (agent mode "shell") are in
// usercommand.go.
type UserShell struct {
	s        *Session
	running  map[string]context.CancelFunc // of Execute, by the request id of the client
	calls    sync.Map                      // the tool call ids of Execute; read by other goroutines
	programs programs
}

// Shell returns the commands of the user.
func (s *Session) Shell() *UserShell { return &s.tools.user }

// maxUserCommands bounds how many commands of Execute run at the same time, and how many
// programs of Exec.
const maxUserCommands = 100

// runs reports whether a tool call is a command that Execute runs. It may be called on any
// goroutine.
func (u *UserShell) runs(callID string) bool { _, mine := u.calls.Load(callID); return mine }

// busy reports whether a command of Execute has no result yet.
func (u *UserShell) busy() bool { return len(u.running) > 0 }

func (u *UserShell) cancelAll() {
	for _, cancel := range u.running {
		cancel()
	}
}

// Execute runs a command of the user in the session's shell and returns its result. The model
// reads the result with its next call. requestID is the client's name for the command, for
// [UserShell.Cancel]. If ctx ends first, the command is killed, and its result says so. After
// ten minutes Execute returns the output so far, and the command continues. [fault.Conflict] if
// a command of that request id is running.
func (u *UserShell) Execute(ctx context.Context, requestID, command string) (wire.UserCommandResult, error) {
	const op = "session.shell.executeUserRequested"
	if strings.TrimSpace(command) == "" {
		return wire.UserCommandResult{}, fault.New(fault.Invalid, op, u.s.id, "the command is empty")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := tool.Call{ID: wire.NewID(), Name: shellTool, Arguments: waitingArgs(command)}
	var large *wire.LargeOutput
	t, err := mailbox.Ask(context.WithoutCancel(ctx), u.s.change, func() (tool.Tool, error) {
		large = u.s.config.largeOutput
		t := u.s.tools.shell()
		switch {
		case t == nil:
			return nil, fault.New(fault.Unavailable, op, u.s.id, "there is no shell on this system")
		case u.running[requestID] != nil:
			return nil, fault.New(fault.Conflict, op, u.s.id, "a command with the request id %s is running", fault.Bounded(requestID))
		case len(u.running) >= maxUserCommands:
			return nil, fault.New(fault.Unavailable, op, u.s.id, "%d commands of the user are running already", maxUserCommands)
		}
		if err := u.s.log.record(&wire.ToolUserRequested{ToolCallID: c.ID, ToolName: c.Name, Arguments: commandArgs(command)}); err != nil {
			return nil, err
		}
		if u.running == nil {
			u.running = map[string]context.CancelFunc{}
		}
		u.running[requestID] = cancel
		u.calls.Store(c.ID, nil)
		return t, nil
	})
	if err != nil {
		return wire.UserCommandResult{}, err
	}
	var res tool.Result
	if broken := u.s.guard(func() error { res = u.run(ctx, t, c); return nil }); broken != nil {
		res = tool.Result{Outcome: tool.Failure, Text: "the command could not be run"}
	}
	kept := spill(u.s, large, res)
	err = u.s.post(context.Background(), func() error { // a command that is recorded as begun gets a result
		delete(u.running, requestID)
		u.calls.Delete(c.ID)
		return u.s.log.record(userResult(c.ID, kept))
	})
	return userAnswer(c.ID, res), err
}

// userAnswer is the result of a command as the client that ran it gets it.
func userAnswer(callID string, res tool.Result) wire.UserCommandResult {
	answer := wire.UserCommandResult{ToolCallID: callID, Output: res.Text}
	switch {
	case res.Outcome != tool.Success:
		answer.Output, answer.Error = "", &res.Text
	case res.Exit != nil:
		status := int64(res.Exit.Code)
		answer.Output, answer.ExitCode, answer.Success = res.Output(), &status, status == 0
	default:
		why := "the command is still running"
		answer.Error = &why
	}
	return answer
}

// Cancel kills a command that Execute runs. It reports false if there is none of that request
// id.
func (u *UserShell) Cancel(ctx context.Context, requestID string) (canceled bool, err error) {
	return mailbox.Ask(ctx, u.s.do, func() (bool, error) {
		cancel := u.running[requestID]
		if cancel == nil {
			return false, nil
		}
		cancel()
		return true, nil
	})
}

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
func (u *UserShell) Exec(ctx context.Context, command, dir string, timeout time.Duration) (id string, err error) {
	const op = "session.shell.exec"
	if strings.TrimSpace(command) == "" {
		return "", fault.New(fault.Invalid, op, u.s.id, "the command is empty")
	}
	if timeout == 0 {
		timeout = defaultTimeout
	}
	start, err := mailbox.Ask(ctx, u.s.do, func() (func(shell.Script, func(string)) (*shell.Running, error), error) {
		if dir = filepath.Clean(dir); !filepath.IsAbs(dir) {
			dir = filepath.Join(u.s.state.Cwd, dir)
		}
		if u.programs.programTable == nil {
			u.programs.programTable = &programTable{running: map[string]*shell.Running{}}
		}
		return u.s.tools.own().Start, nil
	})
	if err != nil {
		return "", err
	}
	if start == nil {
		return "", fault.New(fault.Unavailable, op, u.s.id, "there is no shell on this system")
	}
	id = wire.NewID()
	r, err := u.programs.add(id, func() (*shell.Running, error) {
		return start(shell.Script{Text: command, Dir: dir}, func(text string) {
			u.s.log.notify(&wire.ToolPartialResult{ToolCallID: id, PartialOutput: text})
		})
	})
	if err != nil {
		return "", err
	}
	u.s.spawn("session.shell", func() { u.follow(id, r, timeout) })
	return id, nil
}

// follow waits for the end of a program, and ends it after its timeout.
func (u *UserShell) follow(id string, r *shell.Running, timeout time.Duration) {
	defer u.programs.waiting.Done()
	late := time.AfterFunc(timeout, func() { r.Signal(shell.Kill) })
	code := r.Wait()
	why := ""
	if !late.Stop() {
		why = "timeout"
	}
	u.programs.remove(id)
	info := &wire.SessionInfo{InfoType: wire.InfoShellExit, Message: "A program of the user has ended."}
	u.s.log.emit(wire.WithJSON(info, wire.FieldExit, wire.ProgramExit{ProcessID: id, ExitCode: code, Reason: why}))
}

// Signal sends a signal to a program that Exec has started. It reports false if there is none
// of that id, or if it has ended.
func (u *UserShell) Signal(ctx context.Context, id string, sig shell.Signal) (sent bool, err error) {
	table, err := mailbox.Ask(ctx, u.s.do, func() (programs, error) { return u.programs, nil })
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
	case len(p.running) >= maxUserCommands:
		return nil, fault.New(fault.Unavailable, "session.shell.exec", "", "%d programs are running already", maxUserCommands)
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

// stop kills all programs and waits for their ends.
func (p programs) stop() {
	if p.programTable == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	for _, r := range p.running {
		r.Signal(shell.Kill)
	}
	p.mu.Unlock()
	p.waiting.Wait()
}

// run runs a tool as for a model whose call was approved.
func (u *UserShell) run(ctx context.Context, t tool.Tool, c tool.Call) tool.Result {
	if asker, ok := t.(tool.Asker); ok {
		q, refused := asker.Request(ctx, c)
		if refused != nil {
			return *refused
		}
		c.Permitted = q
	}
	return turn.RunTool(ctx, t, c)
}

// userResult is the event of a command of the user that has ended.
func userResult(callID string, res tool.Result) *wire.ToolComplete {
	done := turn.Completed(callID, res)
	done.IsUserRequested = new(true)
	return done
}
