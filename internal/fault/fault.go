// Package fault is the one error type of the program: what was attempted, on
// what, what the caller can do about it, and where a person should look next.
//
// Every package returns a [*Error] at its border. The kind decides how a door
// answers: the JSON-RPC codes stand in one table in package server, the exit
// codes in one table in package app. Use [KindOf] to read a kind through any
// number of wrappers.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Kind is what a caller can do about a failure.
type Kind uint8

const (
	Internal    Kind = iota // ours to fix; zero, so an unclassified error is loud
	Invalid                 // the request is wrong; do not retry
	NotFound                // no such session, tool or model
	Conflict                // the log moved on; reload and retry
	Denied                  // a person or a rule said no
	Unavailable             // the far side is down or slow; retry later
	Canceled                // the caller, or a person, asked to stop
)

var names = [...]string{"internal", "invalid", "not found", "conflict", "denied", "unavailable", "canceled"}

// String returns the kind in words, as logs show it.
func (k Kind) String() string {
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Error is a failure with what is needed to act on it. All fields are optional
// but Err; the zero Kind is [Internal].
type Error struct {
	// Op is the operation that failed, as package.Function.
	Op string
	// On is what it failed on: a session id, a path, a URL without credentials.
	On string
	// Kind is what the caller can do.
	Kind Kind
	// Hint is what a person does next, one sentence. Empty: nothing beyond Err.
	Hint string
	// Err is why.
	Err error
}

// New returns an Error whose reason is formatted like [fmt.Errorf], %w included.
func New(kind Kind, op, on, format string, args ...any) *Error {
	return &Error{Op: op, On: on, Kind: kind, Err: fmt.Errorf(format, args...)}
}

// Error returns "op on: why (hint)", leaving out what is empty.
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

// Unwrap returns the reason, for [errors.Is] and [errors.As].
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of the outermost [*Error] in err's chain. A bare
// context error is [Canceled] or, past a deadline, [Unavailable]; anything else
// is [Internal].
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

// Message returns the reasons and hints of err without operation names, for a
// person who did not write the program. What wrappers in between say is kept.
func Message(err error) string {
	e, ok := err.(*Error)
	if !ok {
		var inner *Error
		if !errors.As(err, &inner) {
			return err.Error()
		}
		return strings.Replace(err.Error(), inner.Error(), Message(inner), 1)
	}
	if e.Err == nil {
		return e.Error()
	}
	m := Message(e.Err)
	if e.Hint != "" {
		m += " (" + e.Hint + ")"
	}
	return m
}
