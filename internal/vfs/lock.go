package vfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// How long to wait for a lock, and how often to try. The work under a lock takes a disk
// sync or two.
const (
	lockWait  = 2 * time.Second
	lockPause = 10 * time.Millisecond
)

// Lock locks name against other processes, and against other calls in this process, until
// the result is closed or the process ends. name is a file that Lock makes if necessary,
// empty, and never removes. If it is locked, Lock waits up to two seconds; the error is
// then [ErrClaimed], or ctx's if that ends first. Where the system has no claims, it
// locks nothing.
func Lock(ctx context.Context, fsys FS, name string) (File, error) {
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, fmt.Errorf("another process has locked it for %v: %w", lockWait, ErrClaimed))
	defer cancel()
	for {
		err := f.Claim(ClaimWrite)
		if err == nil || errors.Is(err, errors.ErrUnsupported) {
			return f, nil
		}
		if !errors.Is(err, ErrClaimed) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		}
	}
}

// ReadOrCreate returns the contents of name. If there is no such file, it makes one with
// the bytes that fill returns, readable only by its owner, and the folder for it. The
// file is durable, and it is made once even if several processes call at the same time;
// they wait for each other as in [Lock].
func ReadOrCreate(ctx context.Context, fsys FS, name string, fill func() ([]byte, error)) ([]byte, error) {
	held, err := fsys.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return held, err
	}
	err = Change(ctx, fsys, name, func(now []byte) (_ []byte, err error) {
		if held = now; held == nil { // no other process has made it meanwhile
			held, err = fill()
		}
		return held, err
	})
	if err != nil {
		return nil, err
	}
	return held, nil
}

// Change replaces the contents of name with the result of change for the present contents,
// which are nil if there is no such file. The file is readable only by its owner, and is
// durable when Change returns; its folder is made if necessary. The file name+".lock" is
// locked meanwhile as by [Lock], so that no change of another process is lost. If change
// returns an error, or the present contents, nothing is written; its error is returned as
// it is.
func Change(ctx context.Context, fsys FS, name string, change func(now []byte) ([]byte, error)) error {
	if err := MkdirAllSync(fsys, filepath.Dir(name), 0o700); err != nil {
		return err
	}
	lock, err := Lock(ctx, fsys, name+".lock")
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // nothing was written to the lock file
	now, err := fsys.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		now = nil
	case err != nil:
		return err
	case now == nil:
		now = []byte{}
	}
	next, err := change(now)
	if err != nil || bytes.Equal(now, next) && (now == nil) == (next == nil) {
		return err
	}
	return WriteFileAtomic(fsys, name, next, 0o600)
}
