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
	now := sight{slices.Concat(p.Folders, p.Write), seen}
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

// mostWatched bounds the files that are read: each is of a process that was killed.
const mostWatched = 1000

// orphaned returns what processes that were killed had seen in some of the folders, but not in those that
// have been looked at already. It removes their files: the caller looks in their place.
func (s *Store) orphaned(folders, looked []string) map[string]sandbox.Traces {
	fresh := slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return slices.Contains(looked, f) })
	if s.folder == "" || len(fresh) == 0 {
		return nil
	}
	folder := filepath.Join(s.folder, watchFolder)
	entries, err := s.fs.ReadDir(folder)
	if err != nil {
		return nil
	}
	all := map[string]sandbox.Traces{}
	for _, e := range entries[:min(len(entries), mostWatched)] {
		name := filepath.Join(folder, e.Name())
		if !strings.HasSuffix(name, lockEnding) {
			continue
		}
		left, ok := s.orphan(name, fresh)
		if !ok {
			continue
		}
		for _, f := range fresh {
			if !slices.Contains(left.Folders, f) {
				continue
			}
			if all[f] == nil {
				all[f] = sandbox.Traces{}
			}
			maps.Copy(all[f], left.Seen)
		}
	}
	return all
}

// orphan reads and removes the file of a process that was killed, if it is about one of the folders.
func (s *Store) orphan(lockName string, folders []string) (left sight, ok bool) {
	lock, err := s.fs.OpenFile(lockName, os.O_RDWR, 0o600)
	if err != nil {
		return left, false
	}
	defer func() { _ = lock.Close() }()
	if lock.Claim(vfs.ClaimWrite) != nil {
		return left, false // its process lives
	}
	name := strings.TrimSuffix(lockName, lockEnding)
	data, err := s.fs.ReadFile(name)
	about := func(f string) bool { return slices.Contains(left.Folders, f) }
	if err != nil || json.Unmarshal(data, &left) != nil {
		left = sight{}
	} else if !slices.ContainsFunc(folders, about) {
		return left, false
	}
	_ = s.fs.Remove(name)
	_ = s.fs.Remove(lockName)
	return left, len(left.Folders) > 0
}
