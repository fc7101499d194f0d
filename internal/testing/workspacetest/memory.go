package workspacetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Memory is a [workspace.Store] in memory, for tests of the packages that use one. No program
// finds its files: Path is always "". The zero value is ready.
type Memory struct {
	mu       sync.Mutex // guards the rest, and the files
	sessions map[string]*memoryFiles
}

// Files implements [workspace.Store].
func (m *Memory) Files(session string) workspace.Files {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sessions == nil {
		m.sessions = map[string]*memoryFiles{}
	}
	if m.sessions[session] == nil {
		m.sessions[session] = &memoryFiles{store: m, data: map[string][]byte{}}
	}
	return m.sessions[session]
}

type memoryFiles struct {
	store *Memory
	data  map[string][]byte
}

// locked runs f on the files, if name is one.
func (f *memoryFiles) locked(ctx context.Context, name string, do func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is not a valid file name here", name)
	}
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	return do()
}

// isFolder reports whether files lie below a name.
func (f *memoryFiles) isFolder(name string) bool {
	for other := range f.data {
		if name == "." || strings.HasPrefix(other, name+"/") {
			return true
		}
	}
	return false
}

func (f *memoryFiles) Read(ctx context.Context, name string, limit int64) (data []byte, err error) {
	err = f.locked(ctx, name, func() error {
		stored, ok := f.data[name]
		switch {
		case f.isFolder(name):
			return errors.New("it is not a regular file")
		case !ok:
			return &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
		case int64(len(stored)) > limit:
			return fmt.Errorf("it has more than %d bytes", limit)
		}
		data = slices.Clone(stored)
		return nil
	})
	return data, err
}

func (f *memoryFiles) Write(ctx context.Context, name string, data []byte, _ workspace.Durability) (created bool, err error) {
	err = f.locked(ctx, name, func() error {
		if f.isFolder(name) {
			return errors.New("it is a directory")
		}
		for parent := name; strings.Contains(parent, "/"); {
			parent = parent[:strings.LastIndexByte(parent, '/')]
			if _, file := f.data[parent]; file {
				return fmt.Errorf("%s is a file, not a directory", parent)
			}
		}
		_, existed := f.data[name]
		created = !existed
		f.data[name] = slices.Clone(data)
		return nil
	})
	return created, err
}

func (f *memoryFiles) Remove(ctx context.Context, name string) error {
	return f.locked(ctx, name, func() error {
		if _, ok := f.data[name]; !ok {
			return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
		}
		delete(f.data, name)
		return nil
	})
}

func (f *memoryFiles) List(ctx context.Context, folder string, limit int) (list []workspace.Info, err error) {
	err = f.locked(ctx, folder, func() error {
		for _, name := range slices.Sorted(maps.Keys(f.data)) {
			below, ok := strings.CutPrefix(name, folder+"/")
			if folder == "." {
				below, ok = name, true
			}
			if ok && len(list) < limit {
				list = append(list, workspace.Info{Name: below, Size: int64(len(f.data[name]))})
			}
		}
		return nil
	})
	return list, err
}

func (*memoryFiles) Path(string) string { return "" }
