package effects

import (
	"syscall"
	"time"
)

// threadTime returns the time that the current thread has used, which other programs on the
// machine do not change.
func threadTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_THREAD, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
