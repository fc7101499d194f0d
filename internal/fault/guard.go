package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Guard returns the error of f or, if f panics, an [Internal] error with the stack. A
// goroutine that runs the code of others begins with it, because a panic
// that no goroutine recovers ends the whole program.
func Guard(op string, f func() error) (err error) {
	defer Recover(op, &err)
	return f()
}

// Recover is for a function that is to guard itself: it defers Recover, and *err is the
// error of [Guard] if it panics, and otherwise stays.
func Recover(op string, err *error) {
	if p := recover(); p != nil {
		*err = Panicked(op, p)
	}
}

// Panicked makes an [Internal] error of what recover returned. Its text, which a log
// gets, has the stack; [Message] and [ForClient], for users and clients, leave it out. It is called by the
// deferred function that recovers.
func Panicked(op string, p any) *Error {
	return &Error{Op: op, Kind: Internal, Err: &panicked{p, debug.Stack()}}
}

// panicked is the value of a panic, and where it happened.
type panicked struct {
	value any
	stack []byte
}

// IsPanic reports whether err is, or wraps, an error of [Panicked].
func IsPanic(err error) bool {
	var p *panicked
	return errors.As(err, &p)
}

func (p *panicked) message() string { return fmt.Sprintf("panic: %v", p.value) }

// Error implements error.
func (p *panicked) Error() string { return p.message() + "\n" + string(p.stack) }
