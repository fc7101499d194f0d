//go:build unix

package vfs

import (
	"errors"
	"os"
	"syscall"
)

// syncDir is fsync of a directory. A few file systems (some network and FUSE ones) answer
// that they cannot do it; then nothing more can be done.
func syncDir(dir string) error {
	// O_DIRECTORY, because fsync of a plain file would succeed without saving any names.
	d, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	return ignoreUnsyncable(d.Sync())
}

// ignoreUnsyncable ignores the answer that a directory cannot be synced.
func ignoreUnsyncable(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
