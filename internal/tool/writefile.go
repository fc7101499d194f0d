package tool

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/tree"
)

// errChanged is a file that another program wrote to meanwhile.
var errChanged = errors.New("another program changed the file just now; nothing was written")

// createFile writes a new file at a resolved path, whole or not at all, and creates the
// folders that are missing. The error is [fs.ErrExist] if the path exists.
func createFile(real, text string) error {
	dir, err := makeDir(filepath.Dir(real))
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(real)
	// Return early, without a temporary file; the link below is what decides.
	if _, err := dir.Lstat(name); err == nil {
		return fs.ErrExist
	}
	temp, err := writeTemp(dir, text, 0o666, false)
	if err != nil {
		return err
	}
	defer dir.Remove(temp)
	err = dir.Link(temp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system has no hard links: look once more, and rename.
	if _, err := dir.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return dir.Rename(temp, name)
}

// makeDir opens a resolved folder, and creates what is missing of it.
func makeDir(real string) (*os.Root, error) {
	dir, err := tree.OpenDir(real)
	if !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	parent, err := makeDir(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	name := filepath.Base(real)
	if err := parent.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return tree.Step(parent, name)
}

// replaceFile replaces a file by text and keeps its mode. before is the file as it was
// when it was read; the error is [errChanged] if it is different now.
func replaceFile(real, text string, before fs.FileInfo) error {
	dir, err := tree.OpenDir(filepath.Dir(real))
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(real)
	temp, err := writeTemp(dir, text, before.Mode().Perm(), true)
	if err != nil {
		return err
	}
	now, err := dir.Lstat(name)
	if err != nil || !os.SameFile(before, now) || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime()) {
		dir.Remove(temp)
		return errChanged
	}
	if err := dir.Rename(temp, name); err != nil {
		dir.Remove(temp)
		return err
	}
	return nil
}

// writeTemp writes a temporary file in the same folder and returns its name.
// The mode is subject to the umask unless exact.
func writeTemp(dir *os.Root, text string, mode fs.FileMode, exact bool) (string, error) {
	name := ".sidestick-" + rand.Text()
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err == nil && exact {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		dir.Remove(name)
		if errors.Is(err, syscall.ENOSPC) {
			err = errors.New("the disk is full")
		}
		return "", err
	}
	return name, nil
}
