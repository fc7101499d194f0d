//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package vfs

import (
	"errors"
	"os"
	"syscall"
)

// flock has one lock per handle, and does not tell who holds it. So there is ClaimWrite,
// but no ClaimOpen.

func claim(f *os.File, c Claim) error {
	if c == ClaimOpen {
		return errors.ErrUnsupported
	}
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrClaimed
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP):
		return errors.ErrUnsupported // by this file system
	}
	return err
}

func unclaim(f *os.File, c Claim) {
	if c == ClaimWrite {
		_ = flock(f, syscall.LOCK_UN) // if this fails, Close releases it
	}
}

func holder(*os.File, Claim) int { return -1 }

func flock(f *os.File, how int) error {
	return control(f, func(fd uintptr) error { return syscall.Flock(int(fd), how) })
}
