// Package stack has the stacks of goroutines grow before they are deep.
//
// A goroutine begins with a small stack, mostly of 2 KB. The runtime copies it to one of twice the
// size each time that it is full, and reads the tables of each function on it. These tables are
// all over the program's file, of which the kernel maps 64 KB for each. While nothing is on a
// stack, it costs nearly nothing to have it grow: this saves 2.5 MB of an idle server, and a
// fifteenth of the CPU of a turn. docs/benchmarks.md has the figures.
//
// The stack of the main goroutine grows here, and not in package main, because the variables of
// some packages are initialised by deep calls before main begins. Go initialises packages in the
// order of their paths, each when all its imports are initialised
// (https://go.dev/ref/spec#Program_initialization). This package has no imports, so it comes early.
package stack

const (
	// mainSize and size are those of a frame, in bytes. The stack becomes the next power of two,
	// which is larger than what the start of a server, and what most requests, need.
	mainSize = 32 << 10
	deepSize = 8 << 10
	size     = 4 << 10
)

func init() { growMain(0) }

// growMain has a frame of mainSize.
//
//go:noinline
func growMain(i int) byte {
	var frame [mainSize]byte
	return frame[i]
}

// Reserve has the stack of the calling goroutine grow to 8 KB, if it is smaller. A goroutine that
// lives no longer than its deep calls does so first. One that mostly waits does not: it would keep
// the 8 KB.
func Reserve() { grow(0) }

// ReserveDeep has it grow to 16 KB. It is for a goroutine that waits only within deep calls: the garbage
// collector leaves it this stack, of which it uses more than a quarter.
func ReserveDeep() { growDeep(0) }

// Keep calls f with 4 KB of the stack in use below it. The garbage collector halves the stack of a
// goroutine that uses less than a quarter of it, so one that waits between deep calls would grow
// again after each collection; below Keep it keeps at least 16 KB. This is for a goroutine that is busy until
// f returns, not for one that is idle.
func Keep(f func()) { keep(f, 0) }

// keep has a frame of size while f runs.
//
//go:noinline
func keep(f func(), i int) byte {
	var frame [size]byte
	f()
	return frame[i]
}

// grow has a frame of size.
//
//go:noinline
func grow(i int) byte {
	var frame [size]byte
	return frame[i]
}

// growDeep has a frame of deepSize.
//
//go:noinline
func growDeep(i int) byte {
	var frame [deepSize]byte
	return frame[i]
}
