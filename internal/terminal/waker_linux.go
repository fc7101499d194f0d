package terminal

import "golang.org/x/sys/unix"

// await waits until one of two descriptors can be read.
func await(a, b int) (first, second bool, err error) {
	fds := []unix.PollFd{{Fd: int32(a), Events: unix.POLLIN}, {Fd: int32(b), Events: unix.POLLIN}}
	_, err = unix.Poll(fds, -1)
	return fds[0].Revents != 0, fds[1].Revents != 0, err
}
