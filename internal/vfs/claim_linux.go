package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Claims are locks of the open file description, at offsets beyond the end of any file.
// Each kind of claim has its own start, so two locks of one kind overlap. The length of a
// lock is the id of the process that holds it: such a lock belongs to no process, so the
// length is how other processes learn that id.
const (
	openAt  = 1 << 62
	writeAt = openAt + 1<<40
)

func claim(f *os.File, c Claim) error {
	l := lockOf(c, int64(os.Getpid()))
	err := fcntl(f, unix.F_OFD_SETLK, &l)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return ErrClaimed
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOTSUP):
		return errors.ErrUnsupported // by this kernel, or by this file system
	}
	return err
}

func unclaim(f *os.File, c Claim) {
	l := lockOf(c, int64(os.Getpid()))
	l.Type = unix.F_UNLCK
	_ = fcntl(f, unix.F_OFD_SETLK, &l) // if this fails, Close releases it
}

func holder(f *os.File, c Claim) int {
	l := lockOf(c, 1)
	l.Type = unix.F_WRLCK // it conflicts with locks of both kinds
	switch err := fcntl(f, unix.F_OFD_GETLK, &l); {
	case err != nil || l.Len <= 0:
		return -1
	case l.Type == unix.F_UNLCK:
		return 0
	}
	return int(l.Len)
}

func lockOf(c Claim, length int64) unix.Flock_t {
	if c == ClaimOpen {
		return unix.Flock_t{Type: unix.F_RDLCK, Start: openAt, Len: length}
	}
	return unix.Flock_t{Type: unix.F_WRLCK, Start: writeAt, Len: length}
}

func fcntl(f *os.File, cmd int, l *unix.Flock_t) error {
	return control(f, func(fd uintptr) error { return unix.FcntlFlock(fd, cmd, l) })
}
