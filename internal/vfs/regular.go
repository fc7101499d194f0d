package vfs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is the error of opening or reading a pipe, a device or a socket. Reading one
// may wait forever, and other users of a folder can put one where a file is expected.
var ErrNotRegular = errors.New("it is not a regular file but a pipe, a device or a socket")

// openRegular opens a regular file with open, which is [os.OpenFile] or that of a root, and
// gets the flags. It never waits for the other end of a pipe. [ErrNotRegular] for a pipe, a
// device or a socket; [syscall.EISDIR] for a directory.
func openRegular(name string, flag int, open func(flag int) (*os.File, error)) (*os.File, error) {
	f, err := open(flag | syscall.O_NONBLOCK)
	if errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EOPNOTSUPP) { // a socket, or a pipe that nothing reads
		return nil, pathError("open", name, ErrNotRegular)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = pathError("open", name, irregular(info.Mode()))
	}
	if err != nil {
		_ = f.Close() // nothing was read or written
		return nil, err
	}
	return f, nil
}

func irregular(mode fs.FileMode) error {
	if mode.IsDir() {
		return syscall.EISDIR
	}
	return ErrNotRegular
}

// readRegular returns the whole regular file that open opens; see openRegular.
func readRegular(name string, open func(flag int) (*os.File, error)) ([]byte, error) {
	f, err := openRegular(name, os.O_RDONLY, open)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() < maxGrow {
		text.Grow(int(info.Size()) + bytes.MinRead) // one read, and one that finds the end
	}
	_, err = text.ReadFrom(f)
	return text.Bytes(), err
}

// maxGrow bounds the memory that is taken for a file before it is read, in bytes: the
// file system may report any size.
const maxGrow = 128 << 20
