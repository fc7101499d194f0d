//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

// await waits until one of two descriptors can be read. It uses select, because poll knows no
// terminals on a Mac.
func await(a, b int) (first, second bool, err error) {
	if max(a, b) >= unix.FD_SETSIZE {
		return false, false, unix.EINVAL
	}
	var set unix.FdSet
	set.Zero()
	set.Set(a)
	set.Set(b)
	_, err = unix.Select(max(a, b)+1, &set, nil, nil, nil)
	return set.IsSet(a), set.IsSet(b), err
}
