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

// How long and how often another one's work under a lock is waited for; it takes a
// sync of the disk or two.
const (
	lockWait  = 2 * time.Second
	lockPause = 10 * time.Millisecond
)

// Lock keeps others, of this process too, from locking name until the result is
// closed, which a process that dies does as well. It makes name, an empty file, where
// there is none, and never removes it. Who holds it is waited for, two seconds at
// most; the error is then [ErrClaimed], or ctx's if that ends first. Where the system
// knows no claims nobody is kept out.
func Lock(ctx context.Context, fsys FS, name string) (File, error) {
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, fmt.Errorf("another process has kept it for %v: %w", lockWait, ErrClaimed))
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

// Once returns what name holds. If there is no such file it makes it first, for its
// owner only, of the bytes that fill returns, and its folder: durably, and once,
// whoever else asks at the same time. See [Lock] for how they wait.
func Once(ctx context.Context, fsys FS, name string, fill func() ([]byte, error)) ([]byte, error) {
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
	defer func() { _ = lock.Close() }() // nothing was written to it
	if held, err := fsys.ReadFile(name); !errors.Is(err, fs.ErrNotExist) {
		return held, err // another was faster
	}
	if held, err = fill(); err != nil {
		return nil, err
	}
	return held, WriteFileAtomic(fsys, name, held, 0o600)
}
