package localserver

import "golang.org/x/sys/unix"

// Measure returns the memory of this machine. What of it is available is not known: the pages that the kernel calls
// free are few, because it keeps files in the others.
func Measure() Memory {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil || n > 1<<60 {
		return Memory{}
	}
	return Memory{Total: int64(n)}
}
