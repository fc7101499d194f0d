// Package fault defines the one error type of the program: which operation failed, on what, why,
// and what the user can do next. The text of an error bounds what it repeats of a request. A
// panic becomes such an error, too.
//
// Packages return a [*Error] from their exported functions, except where they stand in
// for a package of the standard library (vfs, obs) or carry a peer's own error
// (jsonrpc.Error). The kind decides how an error is reported: package server has one table
// of JSON-RPC codes. Use [KindOf] to read the kind through any number of wrappers.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Kind tells the caller what it can do about a failure.
type Kind uint8

const (
	Internal    Kind = iota // a bug in this program; zero, so an unclassified error is noticed
	Invalid                 // the request is wrong; do not retry
	NotFound                // no such session, tool or model
	Conflict                // the state has changed; reload and retry
	Denied                  // a user or a rule denied it
	Unavailable             // the other side is down or slow; retry later
	Canceled                // the caller or the user asked to stop
)

var names = [...]string{"internal", "invalid", "not found", "conflict", "denied", "unavailable", "canceled"}

// Error returns the kind in words: a kind is an error, so that [errors.Is] finds it in the chain
// of an error that has it.
func (k Kind) Error() string { return k.String() }

// String returns the kind in words, for logs.
func (k Kind) String() string {
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Error is a failure with the information needed to act on it. All fields except Err are
// optional; the zero Kind is [Internal].
type Error struct {
	// Op is the operation that failed, as package.Function.
	Op string
	// On is the object of the operation: a session id, a path, a URL without credentials.
	On string
	// Kind tells the caller what it can do.
	Kind Kind
	// Hint is one sentence on what the user can do next. Empty: nothing beyond Err.
	Hint string
	// Err is the reason.
	Err error
}

// New returns an Error whose reason is formatted like [fmt.Errorf], including %w.
func New(kind Kind, op, on, format string, args ...any) *Error {
	return &Error{Op: op, On: on, Kind: kind, Err: fmt.Errorf(format, args...)}
}

// Error returns "op on: reason (hint)" without the parts that are empty.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.On != "" {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.On)
	}
	if e.Err != nil {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Is reports whether target is the kind of the error.
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind
}

// Unwrap returns the reason, for [errors.Is] and [errors.As].
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the outermost [*Error] in err's chain. A context error alone
// is [Canceled] or, after a deadline, [Unavailable]; any other error is [Internal].
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case errors.Is(err, context.DeadlineExceeded):
		return Unavailable
	case errors.Is(err, context.Canceled):
		return Canceled
	}
	return Internal
}
