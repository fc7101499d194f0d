package fault

import "runtime/debug"

// Guard runs f and returns its panic as an [Internal] error with the stack; nil if it
// did not panic. A goroutine that runs the code of others begins with it, because a panic
// that no goroutine recovers ends the whole program.
func Guard(op string, f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Panicked(op, p)
		}
	}()
	f()
	return nil
}

// Panicked makes an [Internal] error of what recover returned, with the stack. It is
// called by the deferred function that recovers.
func Panicked(op string, p any) *Error {
	return New(Internal, op, "", "panic: %v\n%s", p, debug.Stack())
}
