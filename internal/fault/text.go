package fault

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// maxText bounds what [Bounded] returns, in bytes. The longest message that this program
// writes itself has some 600.
const maxText = 4 << 10

// Message returns the reasons and hints of err without operation names, for a user. Texts
// of wrappers in between are kept; the stack of a panic is left out.
func Message(err error) string {
	switch e := err.(type) {
	case *panicked:
		return e.message()
	case *Error:
		if e.Err == nil {
			return e.Error()
		}
		m := Message(e.Err)
		if e.Hint != "" {
			m += " (" + e.Hint + ")"
		}
		return m
	}
	return replaced(err, Message)
}

// replaced is err.Error() in which the text of each error that err wraps is shown by show.
func replaced(err error, show func(error) string) string {
	text := err.Error()
	for _, inner := range inside(err) {
		if inner != nil {
			text = strings.Replace(text, inner.Error(), show(inner), 1)
		}
	}
	return text
}

// Bounded returns text as it is if it has at most 4 KiB. Of a longer one it returns the
// beginning and the end, with a mark in between, so that a name of any length that a client
// has sent is not sent back in full.
func Bounded(text string) string {
	const tail = maxText / 4
	const mark = " … "
	if len(text) <= maxText {
		return text
	}
	begin, end := maxText-tail-len(mark), len(text)-tail
	for begin > 0 && !utf8.RuneStart(text[begin]) {
		begin--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return text[:begin] + mark + text[end:]
}

// ForClient is err.Error() as the client of a method reads it, without the stack of a panic.
// An operation that is a function of this program, such as files.Create, means nothing to
// the client: the outermost is replaced by the method, and those inside are left out.
func ForClient(err error, method string) string {
	return rendered(err, func(op string, outermost bool) string {
		switch {
		case !isFunction(op):
			return op
		case outermost:
			return method
		}
		return ""
	}, true)
}

// isFunction reports whether an operation is a function of this program, package.Function,
// and not a method of the protocol.
func isFunction(op string) bool {
	name := op[strings.LastIndexByte(op, '.')+1:]
	return len(name) < len(op) && name != "" && 'A' <= name[0] && name[0] <= 'Z'
}

// rendered is the text of err, in which each operation is replaced by named, and the stack
// of a panic is left out.
func rendered(err error, named func(op string, outermost bool) string, outermost bool) string {
	switch e := err.(type) {
	case *panicked:
		return e.message()
	case *Error:
		shown := *e
		shown.Op = named(e.Op, outermost)
		if e.Err != nil {
			shown.Err = errors.New(rendered(e.Err, named, false))
		}
		return shown.Error()
	}
	return replaced(err, func(inner error) string { return rendered(inner, named, outermost) })
}

// inside are the errors that err wraps.
func inside(err error) []error {
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}
