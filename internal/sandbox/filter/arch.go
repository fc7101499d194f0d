package filter

import "github.com/sidestick-dev/sidestick/internal/lazy"

// arch is what the filter has to know about a processor.
type arch struct {
	audit  uint32   // AUDIT_ARCH_* of its native system calls
	column int      // its column in the tables of calls
	gaps   [][2]int // numbers below newest that no call has, first and last
}

// The columns of [call].
const (
	amd64 = iota
	arm64
)

// arches has the processors that the filter exists for, by GOARCH. Both are little-endian,
// which [low] depends on.
var arches = lazy.Value[map[string]arch]{Make: func() map[string]arch {
	return map[string]arch{
		"amd64": {audit: 0xc000003e, column: amd64, gaps: [][2]int{{337, 423}}},
		"arm64": {audit: 0xc00000b7, column: arm64, gaps: [][2]int{{244, 259}, {295, 423}}},
	}
}}

// newest is the highest number that the tables were written for, rseq_slice_yield of Linux
// 7.0; since 424 the numbers are the same on all processors. The calls of the x32 format
// of amd64 have bit 30 set, so they are above it. To raise it, decide for each
// call between whether calls.go has to list it.
const newest = 471

// call is a system call: its number on each processor, or none.
type call [2]int

// none stands for a call that a processor does not have.
const none = -1
