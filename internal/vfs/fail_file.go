package vfs

import (
	"errors"
	"io/fs"
)

// failFile is an open file of a failFS.
type failFile struct {
	File
	fsys *failFS
	name string
}

func (f *failFile) Read(p []byte) (n int, err error) {
	err = f.fsys.do("read", f.name, len(p), func() (err error) {
		n, err = f.File.Read(p)
		return err
	})
	return n, err
}

func (f *failFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.fsys.do("read", f.name, len(p), func() (err error) {
		n, err = f.File.ReadAt(p, off)
		return err
	})
	return n, err
}

func (f *failFile) Write(p []byte) (n int, err error) {
	done := false
	err = f.fsys.do("write", f.name, len(p), func() (err error) {
		n, err = f.File.Write(p)
		done = true
		return err
	})
	var short *Short
	if !done && errors.As(err, &short) {
		n, _ = f.File.Write(p[:min(max(short.Keep, 0), len(p))])
	}
	return n, err
}

func (f *failFile) Sync() error {
	return f.fsys.do("sync", f.name, 0, f.File.Sync)
}

func (f *failFile) SyncAll() error {
	return f.fsys.do("syncall", f.name, 0, f.File.SyncAll)
}

func (f *failFile) Claim(c Claim) error {
	return f.fsys.do("claim", f.name, 0, func() error { return f.File.Claim(c) })
}

func (f *failFile) Truncate(size int64) error {
	return f.fsys.do("truncate", f.name, 0, func() error { return f.File.Truncate(size) })
}

func (f *failFile) Stat() (info fs.FileInfo, err error) {
	err = f.fsys.do("stat", f.name, 0, func() (err error) {
		info, err = f.File.Stat()
		return err
	})
	return info, err
}

func (f *failFile) Close() error {
	closed := false
	err := f.fsys.do("close", f.name, 0, func() error {
		closed = true
		return f.File.Close()
	})
	if !closed {
		_ = f.File.Close() // the error of the rule is returned instead
	}
	return err
}
