package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes of the program.
const (
	ExitDone    = 0
	ExitFailed  = 1
	ExitUsage   = 2 // the command line or the configuration is wrong
	ExitAborted = 3 // the user or a signal stopped the command
	ExitDenied  = 4 // the run has answered without a call that it needed and that nobody could approve
	// ExitIncomplete is the code if the model's last answer is not complete: cut off at a limit,
	// refused, stopped by a filter, or empty.
	ExitIncomplete = 5
	// ExitUnread is the code if the reader of stdout left before the command was done, as
	// head does. A shell reports the same of a program that SIGPIPE has ended: 128 + 13.
	ExitUnread = 141
)

// UsageError marks an error in the command line or the configuration.
type UsageError struct{ error }

// NewUsageError marks err as an error in the command line or the configuration.
func NewUsageError(err error) UsageError { return UsageError{err} }

func (e UsageError) Unwrap() error { return e.error }

// ErrAborted ends a command that the user or a signal has stopped.
var ErrAborted = errors.New("aborted")

// ExitCode is the exit code for the error that a command has ended with.
func ExitCode(err error) int {
	var usage UsageError
	var denied DeniedError
	var incomplete IncompleteError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &usage):
		return ExitUsage
	case errors.Is(err, ErrAborted), errors.Is(err, context.Canceled):
		return ExitAborted
	case unread(err):
		return ExitUnread
	case errors.As(err, &denied):
		return ExitDenied
	case errors.As(err, &incomplete):
		return ExitIncomplete
	}
	return ExitFailed
}

// unread reports whether err is that nobody reads stdout any more.
func unread(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Path == os.Stdout.Name() && errors.Is(p.Err, syscall.EPIPE)
}

// WrongUsage is a [UsageError] that names the help of the command.
func WrongUsage(cmd *cobra.Command, err error) error {
	return UsageError{fmt.Errorf("%w (see %s --help)", err, cmd.CommandPath())}
}

// ReportedError marks an error that the command has printed itself, so that it is not printed again.
type ReportedError struct{ error }

// Reported marks err as printed; nil stays nil.
func Reported(err error) error {
	if err == nil {
		return nil
	}
	return ReportedError{err}
}

func (e ReportedError) Unwrap() error { return e.error }

// IsReported reports whether a command has printed err.
func IsReported(err error) bool {
	var r ReportedError
	return errors.As(err, &r)
}

// DeniedError ends a run that has answered without a tool call that it needed: the call was denied
// because there was no user to ask.
type DeniedError struct{ Text string }

func (e DeniedError) Error() string { return e.Text }

// IncompleteError ends a run whose last answer is not complete: it was cut off at a limit, refused,
// stopped by a filter, or empty. It also ends one in autopilot whose agent has not reported that the task is done.
type IncompleteError struct {
	Text string
	Type string // of the warning about it; "" for one about the answer
}

func (e IncompleteError) Error() string { return e.Text }
