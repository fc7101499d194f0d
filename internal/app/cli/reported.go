package cli

import "errors"

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
