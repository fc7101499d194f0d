//go:build unix

package obs

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// hasRoom reports whether a write to f returns at once, and waits for that for a time. It is
// also true if the write would fail.
func hasRoom(f *os.File, wait time.Duration) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return true // the write tells
	}
	n := 0
	err = raw.Control(func(fd uintptr) {
		for until := time.Now().Add(wait); ; {
			left := max(time.Until(until), 0)
			n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, int(left.Milliseconds()))
			if !errors.Is(err, unix.EINTR) || left == 0 {
				return
			}
		}
	})
	return err != nil || n > 0
}
