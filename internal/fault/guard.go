package fault

import "runtime/debug"

// Guard returns the error of f or, if f panics, an [Internal] error with the stack. A
// goroutine that runs the code of others begins with it, because a panic
// that no goroutine recovers ends the whole program.
func Guard(op string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Panicked(op, p)
		}
	}()
	return f()
}

// Panicked makes an [Internal] error of what recover returned, with the stack. It is
// called by the deferred function that recovers.
func Panicked(op string, p any) *Error {
	return New(Internal, op, "", "panic: %v\n%s", p, debug.Stack())
}
