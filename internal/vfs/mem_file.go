package vfs

import (
	"io/fs"
	"os"
	"syscall"
)

// memFile is a handle of a file of a [Mem]. mem.mu guards off, closed and claims.
type memFile struct {
	mem  *Mem
	node *node
	name string // as it was opened, for errors
	flag int
	life int

	off    int64
	closed bool
	claims [2]bool // by Claim
}

func (f *memFile) Read(p []byte) (int, error) {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.usable("read", os.O_WRONLY); err != nil {
		return 0, err
	}
	n, err := f.node.readAt(p, f.off)
	f.off += int64(n)
	if n > 0 || len(p) == 0 {
		err = nil // Read returns EOF only when there are no more bytes
	}
	return n, err
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.usable("read", os.O_WRONLY); err != nil {
		return 0, err
	}
	if off < 0 {
		return 0, pathError("read", f.name, syscall.EINVAL)
	}
	if len(p) == 0 {
		return 0, nil
	}
	return f.node.readAt(p, off)
}

func (f *memFile) Write(p []byte) (int, error) {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.usable("write", os.O_RDONLY); err != nil {
		return 0, err
	}
	if f.flag&os.O_APPEND != 0 {
		f.off = int64(len(f.node.data))
	}
	if len(p) > 0 { // an empty write beyond the end does not extend the file
		f.node.writeAt(p, f.off)
	}
	f.off += int64(len(p))
	return len(p), nil
}

func (f *memFile) Truncate(size int64) error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.usable("truncate", os.O_RDONLY); err != nil {
		return err
	}
	if size < 0 {
		return pathError("truncate", f.name, syscall.EINVAL)
	}
	f.node.resize(int(size))
	return nil
}

func (f *memFile) Sync() error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.usable("sync", anyMode); err != nil {
		return err
	}
	f.node.sync()
	return nil
}

func (f *memFile) SyncAll() error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.usable("syncall", anyMode); err != nil {
		return err
	}
	f.mem.root.syncAll(map[*node]bool{})
	return nil
}

func (f *memFile) Stat() (fs.FileInfo, error) {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	if err := f.usable("stat", anyMode); err != nil {
		return nil, err
	}
	return f.node.info(f.name), nil
}

func (f *memFile) Close() error {
	f.mem.mu.Lock()
	defer f.mem.mu.Unlock()
	err := f.usable("close", anyMode)
	f.closed = true
	f.node.forget(f)
	return err
}

// anyMode is no access mode, so usable refuses no handle because of its mode.
const anyMode = -1

// usable returns the error of op if the handle cannot do it; not is the access mode in
// which op is refused.
func (f *memFile) usable(op string, not int) error {
	switch {
	case f.closed:
		return pathError(op, f.name, fs.ErrClosed)
	case f.life != f.mem.life:
		return pathError(op, f.name, ErrCrashed)
	case f.flag&(os.O_WRONLY|os.O_RDWR) == not:
		return pathError(op, f.name, syscall.EBADF)
	}
	return nil
}
