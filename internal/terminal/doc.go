// Package terminal is the user's terminal: whether there is one, its size and colours,
// text that is wrapped as it streams, and lines that the user types.
//
// A [TTY] is the terminal itself, apart from stdin and stdout, which may be pipes. [TTY.ReadLine]
// reads one line with the usual editing; at a terminal with TERM=dumb the system edits the line.
// The terminal is in raw mode only while a line is read, so Ctrl-C is a key then and sends a
// signal at any other time. [TTY.Quiet] keeps keys typed at other times off the
// screen.
//
// [TTY.Keys] reads keys for a program that decodes them itself, such as package tui. The package
// also stops the process as Ctrl-Z does, and tells that the size has changed.
package terminal

import (
	"os"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal. The null device, which is a character device
// too, is not.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat() // first, because Fd changes how a pipe is read
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && term.IsTerminal(int(f.Fd()))
}

// The size that Size assumes if it finds out none, in characters.
const (
	Columns = 80
	Rows    = 24
)

// narrowest is the least width that Size returns, in columns.
const narrowest = 20

// Size returns the number of columns and rows of a stream: at least 20 and 5, and 80 and
// 24 if the stream is not a terminal or does not know.
func Size(stream any) (columns, rows int) {
	columns, rows = extent(stream)
	return max(columns, narrowest), max(rows, 5)
}

// extent is the size without a least one.
func extent(stream any) (columns, rows int) {
	if f, ok := stream.(*os.File); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return Columns, Rows
}
