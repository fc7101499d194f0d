package vfs

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
)

// ErrCrashed is what a handle opened before a crash, or a kill, answers after
// it: the process that held it is gone. Only its Close has any effect.
var ErrCrashed = errors.New("file was open when the file system crashed")

// Crash is a power cut after which the machine comes back. It leaves:
//
//   - in each directory the names its last SyncDir found there, none if there
//     was none; a name that was removed or renamed since is back;
//   - in each file the bytes its last Sync found there, none if there was none;
//     what was appended, changed or cut since is undone.
//
// The root is always there. A file is found only if every directory on its path
// was synced after the next name appeared in it; its bytes being synced does not
// help. Handles from before answer [ErrCrashed], and claim nothing.
//
// This is the harshest disk the rules of the package comment allow but for one
// thing: Crash loses every change that was not synced, a real disk keeps any of
// them. [Mem.CrashTorn] keeps some.
func (m *Mem) Crash() {
	m.CrashTorn(func(string, int) int { return 0 })
}

// Kill is the death of every process that uses m, while the machine goes on:
// what was written is there, durable or not. Handles from before answer
// [ErrCrashed], and what they had claimed is free.
func (m *Mem) Kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.life++
}

// CrashTorn is [Mem.Crash] that keeps a part of what was appended. For each
// file left that only grew since its last Sync, it calls keep with its name,
// from the root and with slashes ("/a/b"), and how many bytes are not durable,
// at least 1. So many of them as keep returns, from the front, survive and are
// durable; below 0 is 0, and more than there are is all.
//
// Files are visited in the order of their names. keep must not use m.
func (m *Mem) CrashTorn(keep func(name string, unsynced int) int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.life++
	c := crash{keep: keep, done: map[*node]bool{}}
	c.revert("/", m.root)
}

// crash is one crash under way. done, because renames that were synced on one
// side only can leave a file, or a directory and its own parent, in two places.
type crash struct {
	keep func(name string, unsynced int) int
	done map[*node]bool
}

// revert puts n, and for a directory all that is left below it, back to what
// was durable.
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
