//go:build !unix

package vfs

import (
	"io/fs"
	"os"
	"syscall"
)

// syncDir checks that dir is a directory; there is no call to sync one.
func syncDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return &fs.PathError{Op: "syncdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return nil
}

func ignoreUnsyncable(err error) error { return err }
