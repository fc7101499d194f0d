package shell

import (
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// Mode is how a command runs.
type Mode string

const (
	Sync     Mode = "sync"     // in a persistent shell, with empty input
	Async    Mode = "async"    // at a terminal of its own
	Detached Mode = "detached" // apart from the session, which it may outlive
)

// Command is a command line and how to run it.
type Command struct {
	// Text is what bash reads, verbatim. It must not be empty, hold a NUL byte, or be
	// longer than maxCommand.
	Text string
	// Dir is where a session's first shell starts, absolute. If it differs from that of
	// the command before, the session has moved, and shells start there again.
	Dir string
	// Start is the directory that the command must start in, as [Shells.Where] returned
	// it; empty for any. If the main shell has changed its directory since, the command
	// gets a shell of its own that starts there; for a named shell that is an error.
	Start string
	// AltersShell says how the command may change what later commands in the same shell
	// mean; empty if it does not. The shell counts as altered from then on, and so do
	// shells that inherit its state.
	AltersShell string
	// RequireUnaltered refuses an altered shell.
	RequireUnaltered bool
	// FreshShell runs the command in a fresh shell with the environment of the session's
	// first one. Only the directory in which it ends is passed on to the shell in which
	// it would have run otherwise.
	FreshShell bool
	// Shell names the shell to run in, with at most 64 letters, digits, "-", "_" and ".".
	// A shell that does not exist is made. Empty: the session's main shell, or a new one
	// while that is busy.
	Shell string
	// Sandbox is the policy of the sandbox in which the command runs; nil: outside of any.
	// Shells are kept apart by policy: only the directory in which a command ends is passed
	// on to the shells of other policies. A [Detached] command cannot run in a sandbox.
	//
	// Where the policy lets commands write to .git, only a [Sync] command can run, and it ends with the call:
	// when Wait is over, it is killed. With it everything else in that sandbox ends, also its shell, of which
	// the directory and the environment stay. So nothing writes to .git afterwards. Only one such call at
	// a time may be made for each policy.
	Sandbox *sandbox.Policy
	// Mode has no default.
	Mode Mode
	// Wait is how long Run waits for the command to end.
	Wait time.Duration
	// OnOutput gets what the command writes while Run waits, cleaned, in pieces of at most
	// 32 KiB, ten per second; of faster output a part is skipped, and a line says so. It
	// may block: neither the command nor other calls wait for it, only this Run. nil:
	// output is only in the report.
	OnOutput func(text string)
}

// Report is the state of a command and its new output.
type Report struct {
	// Shell names the shell, for Read, Write and Stop.
	Shell string
	// Output is what the command has written since the last report, cleaned; see
	// [Clean].
	Output string
	// Running means that the command has not ended. Otherwise Code is its exit status:
	// 128 plus the signal's number if a signal ended it.
	Running bool
	Code    int
	// Exported are the names of the exported variables that a command in a fresh shell
	// ([Command.FreshShell]) has set, changed or unset, sorted. They end with that shell.
	Exported []string
	// Parted means that the report came early because of [Shells.Background].
	Parted bool
	// Stopped means that Stop ended it, or Run at the end of [Command.Wait], so Code has no meaning.
	Stopped bool
	// PID is the process group of a detached command, File the file with its output.
	PID  int
	File string
}

// maxCommand bounds a command, in bytes. It is what Linux accepts as one argument of a
// program (128 KiB), less room for the text that is added to the command.
const maxCommand = 128<<10 - 1<<10

func (c Command) check() error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "shell.Run", c.Shell, format, args...)
	}
	switch {
	case strings.TrimSpace(c.Text) == "":
		return bad("the command is empty")
	case strings.ContainsRune(c.Text, 0):
		return bad("the command has a NUL byte, which no shell can read")
	case len(c.Text) > maxCommand:
		return bad("the command is %d bytes long, and at most %d are allowed; write it to a file and run that", len(c.Text), maxCommand)
	case c.Sandbox != nil && c.Mode == Detached:
		return bad("a detached command outlives the session, and a sandbox ends with it")
	case c.endsWithCall() && c.Mode != Sync:
		return bad("a command that may write to .git does not go on in the background")
	case c.Shell != "" && !validID(c.Shell):
		return bad("the name of a shell has at most 64 letters, digits, '-', '_' and '.'")
	}
	return nil
}

// endsWithCall reports whether nothing of the command may be left when its call returns. See [Command.Sandbox].
func (c Command) endsWithCall() bool { return c.Sandbox != nil && c.Sandbox.Git }

func validID(id string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return len(id) <= 64 && strings.Trim(id, allowed) == "" && strings.Trim(id, ".") != ""
}
