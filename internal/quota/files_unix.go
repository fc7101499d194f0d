//go:build unix

package quota

import "syscall"

// Files returns how many files this process can have open. The Go runtime has raised the limit as far as it may.
func Files() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return usualFiles
	}
	return int(min(uint64(limit.Cur), 1<<20))
}

// usualFiles is what systems let a process have that asks for nothing.
const usualFiles = 1024
