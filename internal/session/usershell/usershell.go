// Package usershell runs what the user of a session types as a command, independently of the runs
// of the model, and shows the user the commands of the agents that run in the background. No
// permission rule applies to the user's commands, and they run outside of any sandbox, because
// the user has typed them.
//
// Begin with [New]. [Shell.Execute] and [Shell.Exec] run a command and a program,
// [Shell.Message] runs a message that is a command, and [Shell.Jobs] has the commands in the
// background.
//
// # What always holds
//
//   - A command that is recorded as begun gets a result, also when its caller leaves and when
//     the session closes.
//   - Programs end with the session: [Shell.Closing] kills those that are left, and waits for
//     their ends.
package usershell

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the interface of a [Shell] to its session. All methods beside those of the
// Recorder are called on the session's goroutine.
type Session interface {
	state.Recorder
	// Tool returns the tool that runs commands; nil if this system has none.
	Tool() tool.Tool
	// Starter returns what starts a program, with a function for its output; nil if none can be
	// started here.
	Starter() func(shell.Script, func(output string)) (*shell.Running, error)
	// Shells returns those in which tools run commands; nil if no tool has run yet, or there
	// are none.
	Shells() *shell.Shells
	// Keeper returns a function that moves a result which is too long to be read at once into a
	// file, as the session is configured now. Any goroutine may call that function.
	Keeper() func(tool.Result) tool.Result
}

// Options are the parts of the process that a [Shell] uses, and its session. All are required.
type Options struct {
	Session Session
	ID      string // of the session
	FS      vfs.FS
	Logs    *slog.Logger
}

// Shell runs the commands that clients send for their user. The methods that take a context are
// safe for concurrent use and are not called on the session's goroutine; they return as
// [mailbox.Goroutine] describes. The others are called on that goroutine, unless they say
// otherwise.
type Shell struct {
	session Session
	id      string
	fs      vfs.FS
	logs    *slog.Logger

	running  map[string]context.CancelFunc // of Execute, by the request id of the client
	calls    sync.Map                      // the tool call ids of Execute; read by other goroutines
	programs programs
}

// New returns the shell of a session, in which nothing runs yet.
func New(o Options) *Shell { return &Shell{session: o.Session, id: o.ID, fs: o.FS, logs: o.Logs} }

// maxCommands bounds how many commands of Execute run at the same time, and how many
// programs of Exec.
const maxCommands = 100

// Runs reports whether a tool call is a command that Execute runs. It may be called on any
// goroutine.
func (u *Shell) Runs(callID string) bool { _, mine := u.calls.Load(callID); return mine }

// Busy reports whether a command of Execute has no result yet.
func (u *Shell) Busy() bool { return len(u.running) > 0 }

// CancelAll kills the commands that Execute runs. Their results are recorded later, while Busy
// reports true.
func (u *Shell) CancelAll() {
	for _, cancel := range u.running {
		cancel()
	}
}

// Execute runs a command of the user in the session's shell and returns its result. The model
// reads the result with its next call. requestID is the client's name for the command, for
// [Shell.Cancel]. If ctx ends first, the command is killed, and its result says so. After
// ten minutes Execute returns the output so far, and the command continues. [fault.Conflict] if
// a command of that request id is running.
func (u *Shell) Execute(ctx context.Context, requestID, command string) (wire.UserCommandResult, error) {
	const op = "session.shell.executeUserRequested"
	if strings.TrimSpace(command) == "" {
		return wire.UserCommandResult{}, fault.New(fault.Invalid, op, u.id, "the command is empty")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := tool.Call{ID: wire.NewID(), Name: fact.Bash, Arguments: waitingArgs(command)}
	var keep func(tool.Result) tool.Result
	t, err := mailbox.Ask(context.WithoutCancel(ctx), u.session.Change, func() (tool.Tool, error) {
		keep = u.session.Keeper()
		t := u.session.Tool()
		switch {
		case t == nil:
			return nil, fault.New(fault.Unavailable, op, u.id, "there is no shell on this system")
		case u.running[requestID] != nil:
			return nil, fault.New(fault.Conflict, op, u.id, "a command with the request id %s is running", fault.Bounded(requestID))
		case len(u.running) >= maxCommands:
			return nil, fault.New(fault.Unavailable, op, u.id, "%d commands of the user are running already", maxCommands)
		}
		if err := u.session.Record("", &wire.ToolUserRequested{ToolCallID: c.ID, ToolName: c.Name, Arguments: Arguments(command)}); err != nil {
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
	res := u.survive(ctx, t, c)
	kept := keep(res)
	err = u.session.Post(context.Background(), func() error { // a command that is recorded as begun gets a result
		delete(u.running, requestID)
		u.calls.Delete(c.ID)
		return u.session.Record("", completed(c.ID, kept))
	})
	return answerOf(c.ID, res), err
}

// Message runs the command of a message in the agent mode "shell": without a model and without
// an approval, because the user has typed it. The model reads the command and its result with the
// next message. keep moves a result that is too long to be read at once into a file, and record
// records events of the run; both are called on the goroutine of the run, which calls Message.
func (u *Shell) Message(ctx context.Context, command string, keep func(tool.Result) tool.Result, record func(...wire.Data) error) turn.Outcome {
	c := tool.Call{ID: wire.NewID(), Name: fact.Bash, Arguments: Arguments(command)}
	// Without the context, because a command that is recorded as begun gets a result.
	t, err := mailbox.Ask(context.WithoutCancel(ctx), u.session.Post, func() (t tool.Tool, _ error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if t = u.session.Tool(); t == nil {
			return nil, fault.New(fault.Invalid, "session.send", u.id, "there is no shell on this system")
		}
		return t, u.session.Record("", &wire.ToolUserRequested{ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments})
	})
	if err != nil {
		return turn.Outcome{Err: err, Aborted: ctx.Err() != nil}
	}
	res := keep(run(ctx, t, c))
	return turn.Outcome{Err: record(completed(c.ID, res)), Aborted: ctx.Err() != nil}
}

// answerOf is the result of a command as the client that ran it gets it.
func answerOf(callID string, res tool.Result) wire.UserCommandResult {
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
func (u *Shell) Cancel(ctx context.Context, requestID string) (canceled bool, err error) {
	return mailbox.Ask(ctx, u.session.Do, func() (bool, error) {
		cancel := u.running[requestID]
		if cancel == nil {
			return false, nil
		}
		cancel()
		return true, nil
	})
}

// survive is run for which a panic is a failure of the command.
func (u *Shell) survive(ctx context.Context, t tool.Tool, c tool.Call) (res tool.Result) {
	err := fault.Guard("usershell", func() error { res = run(ctx, t, c); return nil })
	if err != nil {
		u.logs.Error("a command of the user panicked", "err", err)
		res = tool.Result{Outcome: tool.Failure, Text: "the command could not be run"}
	}
	return res
}

// run runs a tool as for a model whose call was approved.
func run(ctx context.Context, t tool.Tool, c tool.Call) tool.Result {
	if asker, ok := t.(tool.Asker); ok {
		q, refused := asker.Request(ctx, c)
		if refused != nil {
			return *refused
		}
		c.Permitted = q
	}
	return turn.RunTool(ctx, t, c)
}

// completed is the event of a command of the user that has ended.
func completed(callID string, res tool.Result) *wire.ToolComplete {
	done := turn.Completed(callID, res)
	done.IsUserRequested = new(true)
	return done
}

// Arguments are the arguments of a command as the log holds them.
func Arguments(command string) json.RawMessage {
	return shellArgs(map[string]any{"command": command, "description": "A command of the user"})
}

// waitingArgs are those of a command whose caller waits for its end: as long as the tool
// allows.
func waitingArgs(command string) json.RawMessage {
	return shellArgs(map[string]any{"command": command, "description": "A command of the user", "initial_wait": 3600})
}

func shellArgs(args map[string]any) json.RawMessage {
	encoded, err := json.Marshal(args)
	if err != nil {
		panic(err) // cannot be: they are strings and a number
	}
	return encoded
}
