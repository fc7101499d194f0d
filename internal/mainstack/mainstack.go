// Package mainstack makes the start of the program cheaper. Import it for its effect.
//
// The main goroutine begins with a small stack. The runtime copies it to one of twice the size
// each time that it is full, and reads the tables of each function on it. These tables are all
// over the program's file, of which the kernel maps 64 KB for each. The variables of some packages
// are initialised by deep calls, so this happened several times in a start: 1.3 MB of file. This
// package has the stack grow once, while nothing is on it.
//
// It has no imports, so it is initialised before the packages that need the stack: of those whose
// imports are initialised, the first by path is next (https://go.dev/ref/spec#Program_initialization).
package mainstack

// size is that of a frame, in bytes. The stack becomes the next power of two, which is larger than
// what a server needs.
const size = 32 << 10

func init() { grow(0) }

// grow has a frame of the size.
//
//go:noinline
func grow(i int) byte {
	var frame [size]byte
	return frame[i]
}
