package quarantine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// crashFile is a file of the store that says what a session had seen before its latest command. Its lock is
// held as long as the process lives, so a file whose lock is free is of a process that was killed.
type crashFile struct {
	name    string   // "": there is none
	lock    vfs.File // of name
	written sight
}

// sight is what the file holds.
type sight struct {
	Folders []string       `json:"folders"`
	Seen    sandbox.Traces `json:"seen"`
}

// watchFolder is the folder of these files in the store, and lockEnding what the names of their locks end with.
const (
	watchFolder = "watch"
	lockEnding  = ".lock"
)

// note writes what a session has seen, if it is not what the file has already. Without the file, only what a
// process leaves that is killed during a command is not found; so errors are not those of the command.
func (c *crashFile) note(s *Store, p sandbox.Policy, seen sandbox.Traces) {
	now := sight{slices.Concat(p.Folders, p.Write), maps.Clone(seen)}
	if s.folder == "" || slices.Equal(now.Folders, c.written.Folders) && maps.Equal(now.Seen, c.written.Seen) {
		return
	}
	if c.name == "" {
		folder := filepath.Join(s.folder, watchFolder)
		if vfs.MkdirAllSync(s.fs, folder, 0o700) != nil {
			return
		}
		name := filepath.Join(folder, rand.Text()+".json")
		lock, err := vfs.Lock(context.Background(), s.fs, name+lockEnding)
		if err != nil {
			return
		}
		c.name, c.lock = name, lock
	}
	data, err := json.Marshal(now)
	if err == nil && vfs.WriteFileAtomic(s.fs, c.name, data, 0o600) == nil {
		c.written = now
	}
}

// remove removes the file, because there is nothing any more that nobody has looked at.
func (c *crashFile) remove(s *Store) {
	if c.name != "" {
		_ = s.fs.Remove(c.name)
		_ = s.fs.Remove(c.name + lockEnding)
		_ = c.lock.Close()
		*c = crashFile{}
	}
}

// leave keeps the file and gives its lock back, so that the next session looks in the place of this one.
func (c *crashFile) leave() {
	if c.name != "" {
		_ = c.lock.Close()
		*c = crashFile{}
	}
}

// mostWatched bounds the files of killed processes that are read for one look.
const mostWatched = 1000

// orphans are what processes that were killed had seen, by the folders of a look.
type orphans struct {
	seen map[string]sandbox.Traces
	done []func() // remove it from their files
}

// looked notes that somebody has looked in the place of these processes.
func (o orphans) looked() {
	for _, f := range o.done {
		f()
	}
}

// orphaned returns what processes that were killed had seen in some of the folders, but not in those that
// have been looked at already.
func (s *Store) orphaned(folders, looked []string) (o orphans) {
	fresh := slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return slices.Contains(looked, f) })
	if s.folder == "" || len(fresh) == 0 {
		return o
	}
	folder := filepath.Join(s.folder, watchFolder)
	entries, err := s.fs.ReadDir(folder)
	if err != nil {
		return o
	}
	o.seen = map[string]sandbox.Traces{}
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		if strings.HasSuffix(name, lockEnding) && len(o.done) < mostWatched {
			s.orphan(name, fresh, &o)
		}
	}
	return o
}

// left returns the folders in which processes were at work that were killed.
func (s *Store) left() (folders []string) {
	if s.folder == "" {
		return nil
	}
	entries, err := s.fs.ReadDir(filepath.Join(s.folder, watchFolder))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name, isLock := strings.CutSuffix(filepath.Join(s.folder, watchFolder, e.Name()), lockEnding)
		if !isLock || !s.isFree(name+lockEnding) {
			continue
		}
		var was sight
		if data, err := s.fs.ReadFile(name); err != nil || json.Unmarshal(data, &was) != nil {
			continue
		}
		for _, f := range was.Folders {
			if !slices.Contains(folders, f) {
				folders = append(folders, f)
			}
		}
	}
	return folders
}

// isFree reports whether nobody holds a lock.
func (s *Store) isFree(name string) bool {
	lock, err := s.fs.OpenFile(name, os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer func() { _ = lock.Close() }() // nothing was written
	return lock.Claim(vfs.ClaimWrite) == nil
}

// orphan adds what a process had seen in some of the folders, if it was killed.
func (s *Store) orphan(lockName string, folders []string, o *orphans) {
	lock, err := s.fs.OpenFile(lockName, os.O_RDWR, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = lock.Close() }() // nothing was written
	if lock.Claim(vfs.ClaimWrite) != nil {
		return // its process lives
	}
	name := strings.TrimSuffix(lockName, lockEnding)
	remove := func() {
		_ = s.fs.Remove(name) // otherwise the next session looks once more
		_ = s.fs.Remove(lockName)
	}
	var left sight
	data, err := s.fs.ReadFile(name)
	if err != nil || json.Unmarshal(data, &left) != nil {
		remove() // it was killed before it had seen anything
		return
	}
	found := false
	for _, f := range folders {
		if !slices.Contains(left.Folders, f) {
			continue
		}
		found = true
		if o.seen[f] == nil {
			o.seen[f] = sandbox.Traces{}
		}
		maps.Copy(o.seen[f], left.Seen)
	}
	if !found {
		return
	}
	o.done = append(o.done, func() {
		left.Folders = slices.DeleteFunc(left.Folders, func(f string) bool { return slices.Contains(folders, f) })
		if len(left.Folders) == 0 {
			remove()
		} else if data, err := json.Marshal(left); err == nil {
			_ = vfs.WriteFileAtomic(s.fs, name, data, 0o600) // otherwise the next session looks once more
		}
	})
}
