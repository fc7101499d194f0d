package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// extensionKeyFile is the private key that this home signs with when it calls Copilot
// Extensions agents, as PEM, readable for its owner only.
const extensionKeyFile = "extension-key.pem"

// extensionKeyWait bounds how long one waits for another process that makes the key.
const extensionKeyWait = 2 * time.Second

// extensionSigner is the key of a home. It is made at its first use, and then there
// is one, whoever else asks at the same time: agents are told its public half. home
// is absolute; fsys nil is the operating system.
//
// Errors are [fault.Invalid], if the file holds no key of ours, which is never
// replaced, and [fault.Unavailable], if it cannot be read or made.
func extensionSigner(ctx context.Context, home string, fsys vfs.FS) (*extension.Signer, error) {
	if fsys == nil {
		fsys = vfs.OS{}
	}
	k := extensionKey{fs: fsys, path: filepath.Join(home, extensionKeyFile)}
	signer, err := k.read()
	if errors.Is(err, fs.ErrNotExist) {
		signer, err = k.make(ctx)
	}
	return signer, err
}

type extensionKey struct {
	fs   vfs.FS
	path string
}

func (k extensionKey) read() (*extension.Signer, error) {
	pem, err := k.fs.ReadFile(k.path)
	if err != nil {
		return nil, k.failed(err)
	}
	signer, err := extension.ParseSigner(pem)
	if err != nil {
		return nil, &fault.Error{
			Op: "app.extensionSigner", On: k.path, Kind: fault.Invalid, Err: err,
			Hint: "it was not made by sidestick, or is damaged; put it away, and a new key is made, which agents then have to be told",
		}
	}
	return signer, nil
}

// make makes the key, unless another process does so first.
func (k extensionKey) make(ctx context.Context) (*extension.Signer, error) {
	if err := vfs.MkdirAllSync(k.fs, filepath.Dir(k.path), 0o700); err != nil {
		return nil, k.failed(err)
	}
	lock, err := k.lock(ctx)
	if err != nil {
		return nil, k.failed(err)
	}
	defer func() { _ = lock.Close() }() // nothing was written to it
	if signer, err := k.read(); !errors.Is(err, fs.ErrNotExist) {
		return signer, err
	}
	signer, err := extension.GenerateSigner()
	if err != nil {
		return nil, k.failed(err)
	}
	if err := vfs.WriteFileAtomic(k.fs, k.path, signer.PEM(), 0o600); err != nil {
		return nil, k.failed(err)
	}
	return signer, nil
}

// lock waits for its turn to make the key. Who dies gives it back. Where the system
// knows no claims there is no waiting, and of two that come at once the last one's
// key stays.
func (k extensionKey) lock(ctx context.Context) (vfs.File, error) {
	f, err := k.fs.OpenFile(k.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, extensionKeyWait)
	defer cancel()
	for {
		err := f.Claim(vfs.ClaimWrite)
		if err == nil || errors.Is(err, errors.ErrUnsupported) {
			return f, nil
		}
		if !errors.Is(err, vfs.ErrClaimed) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(errors.New("another process has been making it for too long"), f.Close())
		}
	}
}

func (k extensionKey) failed(err error) error {
	return &fault.Error{Op: "app.extensionSigner", On: k.path, Kind: fault.Unavailable, Err: reason(err)}
}
