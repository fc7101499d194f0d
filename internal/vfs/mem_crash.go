package vfs

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
)

// ErrCrashed is the error of a handle that was opened before a crash or a kill: the
// process that held it has ended. Only its Close has an effect.
var ErrCrashed = errors.New("file was open when the file system crashed")

// Crash is a power cut after which the machine starts again. It leaves:
//
//   - in each directory the names that its last SyncDir found, or none if there was none;
//     a name that was removed or renamed since exists again
//   - in each file the bytes that its last Sync found, or none if there was none; what was
//     appended, changed or cut since is undone
//
// The root always exists. A file exists only if every directory on its path was synced
// after the next name appeared in it; syncing its bytes alone does not help. Handles from
// before return [ErrCrashed] and have no claims.
//
// This is the harshest behaviour that the rules of the package comment allow, with one
// exception: Crash loses every change that was not synced, while a real disk may keep any
// of them. [Mem.CrashTorn] keeps some.
func (m *Mem) Crash() {
	m.CrashTorn(func(string, int) int { return 0 })
}

// Kill ends every process that uses m while the machine keeps running: what was written
// stays, durable or not. Handles from before return [ErrCrashed], and their claims are
// released.
func (m *Mem) Kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.life++
}

// CrashTorn is [Mem.Crash] that keeps a part of the appended bytes. For each remaining
// file that only grew since its last Sync, it calls keep with the file's name, from the
// root and with slashes ("/a/b"), and the number of its bytes that are not durable, at
// least 1. The first keep bytes of those survive and become durable; below 0 means 0, and
// too many means all.
//
// Files are visited in the order of their names. keep must not use m.
func (m *Mem) CrashTorn(keep func(name string, unsynced int) int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.life++
	c := crash{keep: keep, done: map[*node]bool{}}
	c.revert("/", m.root)
}

// crash is one crash while it happens. done is needed because renames that were synced on
// one side only can leave a file, or a directory and its own parent, in two places.
type crash struct {
	keep func(name string, unsynced int) int
	done map[*node]bool
}

// revert resets n, and everything that remains below a directory, to the durable state.
func (c crash) revert(name string, n *node) {
	if c.done[n] {
		return
	}
	c.done[n] = true
	if !n.isDir() {
		n.data = slices.Concat(n.synced, c.torn(name, n))
		n.sync()
		return
	}
	n.kids = maps.Clone(n.syncedKids)
	if n.kids == nil {
		n.kids = map[string]*node{}
	}
	for _, kid := range slices.Sorted(maps.Keys(n.kids)) {
		c.revert(path.Join(name, kid), n.kids[kid])
	}
}

// torn returns what survives of the bytes appended since the last Sync.
func (c crash) torn(name string, n *node) []byte {
	tail, grew := bytes.CutPrefix(n.data, n.synced)
	if !grew || len(tail) == 0 {
		return nil
	}
	kept := c.keep(name, len(tail))
	return tail[:min(max(kept, 0), len(tail))]
}
