package tool

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

// Shell returns the tools that run commands in the shells of a session: bash,
// write_bash, read_bash, stop_bash and list_bash. None on a system that has no
// shells. The caller closes shells.
//
// boxes are the sandboxes of the shells; nil if there are none.
//
// guard looks at what commands make; nil: nobody does.
//
// understand says what a command that starts in a directory would do, without running it.
// If it is nil, no command is understood, and every command needs a question.
func Shell(w Workspace, shells *shell.Shells, boxes *sandbox.Boxes, guard *quarantine.Guard, understand func(text, dir string) permit.Command) []Tool {
	if !shell.Supported {
		return nil
	}
	if understand == nil {
		understand = func(text, _ string) permit.Command {
			return permit.Command{Text: text, Unclear: "commands are not read"}
		}
	}
	k := &console{w: w, shells: shells, boxes: boxes, guard: guard, understand: understand, git: make(chan struct{}, 1), going: map[string]going{}}
	return []Tool{bash{k}, writeBash{k}, readBash{k}, stopBash{k}, listBash{k}}
}

// console is shared by the shell tools of one session.
type console struct {
	w          Workspace
	shells     *shell.Shells
	boxes      *sandbox.Boxes
	guard      *quarantine.Guard
	understand func(text, dir string) permit.Command
	git        chan struct{} // has a value while a command runs in a sandbox where it may write to .git

	mu    sync.Mutex       // guards the rest
	going map[string]going // commands that are tried and have not ended when their call did, by the shell; at most mostGoing
}

// maxWait is the longest that a call waits for a command.
const maxWait = 10 * time.Minute

// seconds is the time that the model asked for, within its bounds.
func seconds(asked *float64, otherwise, least time.Duration) time.Duration {
	if asked == nil {
		return otherwise
	}
	s := min(max(*asked, 0), maxWait.Seconds()) // first, so that it cannot overflow a Duration
	return max(time.Duration(s*float64(time.Second)), least)
}

// refusal is the result of a call that failed with err. The details of a failure of our
// own are for the log, and not for the model.
func refusal(err error) Result {
	switch fault.KindOf(err) {
	case fault.Canceled:
		return interrupted()
	case fault.Internal:
		return Result{Outcome: Failure, Text: "Tool execution failed: an internal error.", Error: err.Error()}
	}
	return failure("%s", fault.Message(err))
}

// closing adds a last line to a report.
func closing(output, last string) Result {
	if output != "" && !strings.HasSuffix(output, "\n") {
		output += "\n"
	}
	return success(output + last)
}

// read returns the new output of a shell.
func (k *console) read(ctx context.Context, id string, wait time.Duration) Result {
	r, err := k.shells.Read(ctx, id, wait)
	if err != nil {
		return refusal(err)
	}
	return over(k.triedLater(news(r), r), r)
}
