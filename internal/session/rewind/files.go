package rewind

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxSnapshot bounds a file that is kept, in bytes.
const maxSnapshot = 10 << 20

// version is a file as it is; the digest is "" if it does not exist.
type version struct {
	digest string
	mode   fs.FileMode
	data   []byte
}

func (f *Files) version(path string) (v version, err error) {
	dir, err := f.folder(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	defer dir.Close()
	name := filepath.Base(path)
	info, err := dir.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return v, nil
	case err != nil:
		return v, err
	case !info.Mode().IsRegular() || info.Size() > maxSnapshot:
		return v, fault.New(fault.Invalid, "session.history", path, "only regular files of at most %d bytes are kept", maxSnapshot)
	}
	v.mode = info.Mode().Perm()
	if v.data, err = dir.ReadFile(name); err != nil {
		return v, err
	}
	sum := sha256.Sum256(v.data)
	v.digest = hex.EncodeToString(sum[:])
	return v, nil
}

// folder opens the folder of a file. Since the file was captured, the path may lead elsewhere: a
// link in it is an error, so that nothing is read or written there. It is looked for before and
// after the folder is opened.
func (f *Files) folder(path string) (vfs.Rooted, error) {
	dir := filepath.Dir(path)
	moved := func() bool { return f.o.Resolve(path) != path }
	if moved() {
		return nil, errMoved(path)
	}
	root, err := f.o.FS.Root(dir)
	if err == nil && moved() {
		_ = root.Close()
		return nil, errMoved(path)
	}
	return root, err
}

func errMoved(path string) error {
	return fault.New(fault.Conflict, "session.history", path, "the path leads elsewhere now: a symbolic link is in it")
}

// keep stores a file as it is now.
func (f *Files) keep(path string) (version, error) {
	v, err := f.version(path)
	if err != nil || v.digest == "" {
		return v, err
	}
	return v, f.o.Kept.KeepSnapshot(context.Background(), v.digest, v.data)
}

// kept returns an old version of a file.
func (f *Files) kept(ctx context.Context, digest string) ([]byte, error) {
	data, err := f.o.Kept.Snapshot(ctx, digest)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != digest {
		return nil, fault.New(fault.Invalid, "session.history", digest, "the kept version of the file was changed")
	}
	return data, nil
}

// put writes an old version of a file, or removes the file if it did not exist.
func (f *Files) put(path string, exists bool, data []byte, mode fs.FileMode) error {
	dir, err := f.folder(path)
	if errors.Is(err, fs.ErrNotExist) && exists {
		if err = f.o.FS.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			dir, err = f.folder(path)
		}
	}
	if errors.Is(err, fs.ErrNotExist) && !exists {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(path)
	if exists {
		return vfs.WriteFileAtomic(dir, name, data, cmp.Or(mode, 0o600))
	}
	if err := dir.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// seal is what shows that this session has made a capture, on this machine: a log grants
// nothing, so a capture without it restores nothing.
func (f *Files) seal(c wire.FileCapture) (string, error) {
	return f.o.Seal("file capture", f.o.ID, c.Path, c.Before, c.After, fs.FileMode(c.Mode).String())
}

// ours reports whether this session has made a capture.
func (f *Files) ours(c wire.FileCapture) bool {
	seal, err := f.seal(c)
	return err == nil && seal == c.Seal
}
