package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrMoved is a path that leads elsewhere than when permission was asked for.
var ErrMoved = errors.New("it was replaced while it was being opened; nothing was done, call the tool again")

// OpenDir opens a resolved folder without following a symbolic link: each name of the
// path must be a folder before it is opened, and the same folder afterwards. A link that
// was put there in the meantime is an error.
//
// A folder that may be passed but not listed cannot be opened in this way. Then the whole
// path is opened at once, and what is there afterwards is compared with it. That is as
// safe unless the path changes all the time.
func OpenDir(real string) (*os.Root, error) {
	dir, err := descend(real)
	if errors.Is(err, fs.ErrPermission) {
		return openAtOnce(real)
	}
	return dir, err
}

func openAtOnce(real string) (*os.Root, error) {
	dir, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	is, err := dir.Stat(".")
	if err == nil {
		var there fs.FileInfo
		var leads string
		there, err = os.Lstat(real)
		if leads, _ = Resolve(real); err == nil && leads == real && os.SameFile(is, there) {
			return dir, nil
		}
	}
	dir.Close()
	return nil, errors.Join(ErrMoved, err)
}

func descend(real string) (*os.Root, error) {
	volume := filepath.VolumeName(real)
	dir, err := os.OpenRoot(volume + string(filepath.Separator))
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.Trim(real[len(volume):], string(filepath.Separator)), string(filepath.Separator)) {
		if name == "" {
			continue // the top itself
		}
		next, err := Step(dir, name)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

// Step opens a folder in an open one, never through a link.
func Step(dir *os.Root, name string) (*os.Root, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if before.Mode()&fs.ModeSymlink != 0 {
		return nil, ErrMoved
	}
	if !before.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if after, err := next.Stat("."); err != nil || !os.SameFile(before, after) {
		next.Close()
		return nil, errors.Join(ErrMoved, err)
	}
	return next, nil
}

// OpenFile opens a resolved regular file for reading. Folders, devices, pipes and
// sockets are errors that say so; opening them never blocks.
func OpenFile(real string) (*os.File, fs.FileInfo, error) {
	dir, err := OpenDir(filepath.Dir(real))
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	return OpenIn(dir, filepath.Base(real))
}

// OpenIn opens a regular file of an open folder, never through a link.
func OpenIn(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if err := regular(before); err != nil {
		return nil, nil, err
	}
	// O_NONBLOCK: if the file has just been replaced by a pipe, opening does not block.
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		f.Close()
		return nil, nil, errors.Join(ErrMoved, err)
	}
	return f, before, nil
}

func regular(info fs.FileInfo) error {
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return errors.New("it is a folder, not a file")
	case m&fs.ModeSymlink != 0:
		return ErrMoved
	case m&fs.ModeNamedPipe != 0:
		return errors.New("it is a pipe, not a file")
	case m&fs.ModeDevice != 0:
		return errors.New("it is a device, not a file")
	case m&fs.ModeSocket != 0:
		return errors.New("it is a socket, not a file")
	}
	return fmt.Errorf("it is not a regular file (%v)", info.Mode().Type())
}
