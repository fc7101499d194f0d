package web

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// keySize is the length of the key that seals confirmations, in bytes: that of the
// hash. Source: RFC 2104, section 3.
const keySize = 32

// LoadKey returns the key that a file holds, as hexadecimal digits, and makes both if
// there is no file. Only its owner can read it. Processes that start at once agree on
// one key. A file that holds no key is [fault.Invalid]: another key would make void
// what people are still to answer.
func LoadKey(fsys vfs.FS, path string) ([]byte, error) {
	key, err := readKey(fsys, path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := vfs.MkdirAllSync(fsys, filepath.Dir(path), 0o700); err != nil {
		return nil, unavailable(path, err)
	}
	lock, err := lockFile(fsys, path+".lock")
	if err != nil {
		return nil, unavailable(path, err)
	}
	defer func() { _ = lock.Close() }()                                                 // nothing was written to it
	if key, err := readKey(fsys, path); err == nil || !errors.Is(err, fs.ErrNotExist) { // another process was faster
		return key, err
	}
	key = make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	if err := vfs.WriteFileAtomic(fsys, path, []byte(hex.EncodeToString(key)+"\n"), 0o600); err != nil {
		return nil, unavailable(path, err)
	}
	return key, nil
}

func readKey(fsys vfs.FS, path string) ([]byte, error) {
	text, err := fsys.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, unavailable(path, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keySize {
		return nil, &fault.Error{
			Op: "web.LoadKey", On: path, Kind: fault.Invalid, Err: errors.New("the file holds no key"),
			Hint: "remove it to get a new one; confirmations that are still open are void then",
		}
	}
	return key, nil
}

func unavailable(path string, err error) error {
	return &fault.Error{Op: "web.LoadKey", On: path, Kind: fault.Unavailable, Err: err}
}

// How often and how long another process that makes the key is waited for; it takes a
// sync of the disk.
const (
	lockTries = 100
	lockPause = 20 * time.Millisecond
)

// lockFile keeps other processes out until the result is closed.
func lockFile(fsys vfs.FS, path string) (vfs.File, error) {
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for range lockTries {
		if err = f.Claim(vfs.ClaimWrite); !errors.Is(err, vfs.ErrClaimed) {
			break
		}
		time.Sleep(lockPause)
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) { // there the last one wins
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
