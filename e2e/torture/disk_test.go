//go:build unix

package torture_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// disk is the file system of the process under test: the operating system's, with
// one fault. It counts the operations below root that change something, and writes
// each that was done to trace, before its caller learns of it: the trace outlives
// the process.
type disk struct {
	vfs.FS
	root  string
	fault fault
	trace io.Writer

	mu   sync.Mutex // guards the rest
	n    int
	done bool // of unsync: it has failed
}

// do carries out one operation, unless it is the one. size is what is traced.
func (d *disk) do(name, path string, size int64, op func() error) error {
	n, err := d.begin(name, path)
	if err == nil {
		err = op()
	}
	if err == nil {
		d.did(n, name, path, size)
	}
	return err
}

// did traces an operation, which may have been the last.
func (d *disk) did(n int, name, path string, size int64) {
	if n == 0 {
		return
	}
	if _, err := fmt.Fprintf(d.trace, "%d\t%s\t%d\t%s\n", n, name, size, path); err != nil {
		os.Exit(1) // the test is gone
	}
	if d.fault.kind == after && n == d.fault.op {
		die()
	}
}

// begin counts an operation, and returns why it fails, if it is to. n is 0 for
// what is not below root.
func (d *disk) begin(name, path string) (n int, err error) {
	if !strings.HasPrefix(path, d.root) {
		return 0, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	switch f := d.fault; {
	case d.n == f.op && (f.kind == before || f.kind == tear && name != "write"), f.kind == forget && d.n > f.op:
		die()
	case takesSpace[name] && d.isFull():
		err = &fs.PathError{Op: name, Path: path, Err: syscall.ENOSPC}
	case f.kind == unsync && d.n >= f.op && syncs[name] && !d.done:
		d.done = true
		err = &fs.PathError{Op: name, Path: path, Err: syscall.EIO}
	}
	return d.n, err
}

var (
	takesSpace = map[string]bool{"open": true, "mkdirall": true, "write": true, "rename": true}
	syncs      = map[string]bool{"sync": true, "syncall": true, "syncdir": true}
)

// isFull says whether there is no space now. The caller holds d.mu.
func (d *disk) isFull() bool {
	switch f := d.fault; f.kind {
	case full:
		return d.n >= f.op && (f.arg == 0 || d.n < f.op+f.arg)
	case waves:
		return d.n%(f.op+f.arg) >= f.op
	}
	return false
}

// lag is how long a sync takes beyond its own time.
func (d *disk) lag() {
	d.mu.Lock()
	late := 0
	switch f := d.fault; {
	case f.kind == slow && d.n >= f.op:
		late = f.arg
	case f.kind == waves:
		late = 1
	}
	d.mu.Unlock()
	time.Sleep(time.Duration(late) * time.Millisecond) // the disk of another process, which no bubble reaches
}

// die is kill -9. It does not return, and a caller that holds d.mu lets nobody
// else change anything either.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

func (d *disk) OpenFile(name string, flag int, perm fs.FileMode) (f vfs.File, err error) {
	open := func() error {
		f, err = d.FS.OpenFile(name, flag, perm)
		return err
	}
	if flag&os.O_CREATE == 0 {
		err = open()
	} else {
		err = d.do("open", name, 0, open)
	}
	if err != nil {
		return nil, err
	}
	return &diskFile{f, d, name}, nil
}

func (d *disk) MkdirAll(name string, perm fs.FileMode) error {
	return d.do("mkdirall", name, 0, func() error { return d.FS.MkdirAll(name, perm) })
}

func (d *disk) Rename(from, to string) error {
	return d.do("rename", to, 0, func() error { return d.FS.Rename(from, to) })
}

func (d *disk) Remove(name string) error {
	return d.do("remove", name, 0, func() error { return d.FS.Remove(name) })
}

func (d *disk) RemoveAll(name string) error {
	return d.do("removeall", name, 0, func() error { return d.FS.RemoveAll(name) })
}

func (d *disk) SyncDir(name string) error {
	return d.do("syncdir", name, 0, func() error { d.lag(); return d.FS.SyncDir(name) })
}

// diskFile is an open file of a disk.
type diskFile struct {
	vfs.File
	d    *disk
	name string
}

// Write writes half of the data that there is no space for, as disks do.
func (f *diskFile) Write(p []byte) (int, error) {
	op, err := f.d.begin("write", f.name)
	if err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	if op == f.d.fault.op {
		switch f.d.fault.kind {
		case tear:
			_, _ = f.File.Write(p[:torn(len(p), f.d.fault.arg)])
			die()
		case forget:
			return len(p), nil
		}
	}
	n, err := f.File.Write(p)
	if err == nil {
		f.d.did(op, "write", f.name, int64(n))
	}
	return n, err
}

// torn is how much of a write of n bytes is done: from one byte, for 0
// thousandths, to all but one.
func torn(n, thousandths int) int { return min(n, 1+max(n-2, 0)*thousandths/1000) }

// Sync traces how much of the file was there when it began: so much is durable.
func (f *diskFile) Sync() error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return f.d.do("sync", f.name, info.Size(), func() error { f.d.lag(); return f.File.Sync() })
}

// SyncAll makes durable what every operation before it has written.
func (f *diskFile) SyncAll() error {
	return f.d.do("syncall", f.name, 0, func() error { f.d.lag(); return f.File.SyncAll() })
}

func (f *diskFile) Truncate(size int64) error {
	return f.d.do("truncate", f.name, size, func() error { return f.File.Truncate(size) })
}
