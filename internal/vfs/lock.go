package vfs

import (
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
	if err := MkdirAllSync(fsys, filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	lock, err := Lock(ctx, fsys, name+".lock")
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }() // nothing was written to the lock file
	if held, err := fsys.ReadFile(name); !errors.Is(err, fs.ErrNotExist) {
		return held, err // another process made it first
	}
	if held, err = fill(); err != nil {
		return nil, err
	}
	return held, WriteFileAtomic(fsys, name, held, 0o600)
}
