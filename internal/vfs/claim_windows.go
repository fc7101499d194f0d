package vfs

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// writeHigh is the upper half of the offset of the one byte that is locked. It is far
// beyond the end of any file, because Windows keeps others from reading locked bytes.
// Windows does not tell who holds a lock, and a handle conflicts with itself. So there is
// ClaimWrite, but no ClaimOpen.
const writeHigh = 1 << 30

func claim(f *os.File, c Claim) error {
	if c == ClaimOpen {
		return errors.ErrUnsupported
	}
	err := control(f, func(fd uintptr) error {
		const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
		return windows.LockFileEx(windows.Handle(fd), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: writeHigh})
	})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrClaimed
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return errors.ErrUnsupported // by this file system
	}
	return err
}

func unclaim(f *os.File, c Claim) {
	if c != ClaimWrite {
		return
	}
	_ = control(f, func(fd uintptr) error { // if this fails, Close releases it
		return windows.UnlockFileEx(windows.Handle(fd), 0, 1, 0, &windows.Overlapped{OffsetHigh: writeHigh})
	})
}

func holder(*os.File, Claim) int { return -1 }
