package vfs

import (
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// node is a file or a directory of a [Mem], without its name.
type node struct {
	mode    fs.FileMode
	modTime time.Time

	// Only for a file. synced is what the last Sync made durable. It shares the array of
	// data until a durable byte is changed, so n synced appends to a log copy each append
	// once, and not the whole log n times.
	data, synced []byte
	users        []*memFile // open handles that have had a claim

	// Only for a directory. syncedKids is what the last SyncDir made durable.
	kids, syncedKids map[string]*node
}

func newDir(perm fs.FileMode) *node {
	return &node{mode: fs.ModeDir | perm.Perm(), modTime: time.Now(), kids: map[string]*node{}}
}

func newFile(perm fs.FileMode) *node {
	return &node{mode: perm.Perm(), modTime: time.Now()}
}

func (n *node) isDir() bool { return n.mode.IsDir() }

// split returns the elements of a name, none for the root.
func split(name string) []string {
	name = path.Clean("/" + filepath.ToSlash(name))
	if name == "/" {
		return nil
	}
	return strings.Split(name[1:], "/")
}

// find follows the elements of a name down from n.
func (n *node) find(parts []string) (*node, error) {
	for _, part := range parts {
		if !n.isDir() {
			return nil, syscall.ENOTDIR
		}
		n = n.kids[part]
		if n == nil {
			return nil, fs.ErrNotExist
		}
	}
	return n, nil
}

// findDir returns the directory that holds name or could hold it, and name's last
// element. The root is in no directory.
func (n *node) findDir(name string) (dir *node, base string, err error) {
	parts := split(name)
	if len(parts) == 0 {
		return nil, "", syscall.EINVAL
	}
	last := len(parts) - 1
	dir, err = n.find(parts[:last])
	if err == nil && !dir.isDir() {
		err = syscall.ENOTDIR
	}
	return dir, parts[last], err
}

func (n *node) link(base string, kid *node) {
	n.kids[base] = kid
	n.modTime = time.Now()
}

func (n *node) unlink(base string) {
	delete(n.kids, base)
	n.modTime = time.Now()
}

// readAt copies the bytes from off; fewer bytes than requested come with [io.EOF].
func (n *node) readAt(p []byte, off int64) (int, error) {
	if off >= int64(len(n.data)) {
		return 0, io.EOF
	}
	c := copy(p, n.data[off:])
	if c < len(p) {
		return c, io.EOF
	}
	return c, nil
}

func (n *node) writeAt(p []byte, off int64) {
	if off < int64(len(n.synced)) {
		n.data = slices.Clone(n.data)
	}
	if end := int(off) + len(p); end > len(n.data) {
		n.resize(end)
	}
	copy(n.data[off:], p)
	n.modTime = time.Now()
}

// resize truncates the contents or extends them with zeros.
func (n *node) resize(size int) {
	switch {
	case size > len(n.data):
		n.data = append(n.data, make([]byte, size-len(n.data))...)
	case size < len(n.synced):
		n.data = slices.Clone(n.data[:size]) // the next append must not overwrite durable bytes
	default:
		n.data = n.data[:size]
	}
	n.modTime = time.Now()
}

func (n *node) sync() { n.synced = n.data[:len(n.data):len(n.data)] }

// syncAll syncs n and everything below it. For done, see crash.
func (n *node) syncAll(done map[*node]bool) {
	if done[n] {
		return
	}
	done[n] = true
	if !n.isDir() {
		n.sync()
		return
	}
	n.syncedKids = maps.Clone(n.kids)
	for _, kid := range n.kids {
		kid.syncAll(done)
	}
}

func (n *node) info(name string) fs.FileInfo {
	return memInfo{node: n, name: filepath.Base(name), size: int64(len(n.data)), mode: n.mode, modTime: n.modTime}
}

// memInfo is what Stat returned at one moment.
type memInfo struct {
	node    *node
	name    string
	size    int64
	mode    fs.FileMode
	modTime time.Time
}

func (i memInfo) Name() string       { return i.name }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) Mode() fs.FileMode  { return i.mode }
func (i memInfo) ModTime() time.Time { return i.modTime }
func (i memInfo) IsDir() bool        { return i.mode.IsDir() }
func (i memInfo) Sys() any           { return nil }
