package quarantine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Item is something that was moved aside.
type Item struct {
	// Path is where it was, and Aside where it is now; both are absolute.
	Path  string `json:"path"`
	Aside string `json:"aside"`
	// Why says what it would have made run, in words for the user.
	Why string `json:"why"`
	// By is what made it: a command, shortened, or a tool; Session is the session's id.
	By      string    `json:"by,omitempty"`
	Session string    `json:"session,omitempty"`
	Time    time.Time `json:"time"`
	// Digest is that of its content when it was moved.
	Digest string `json:"digest"`
}

// Store keeps what was moved aside, for all sessions of a user. It is safe for concurrent use, also by
// several processes. Its methods wait for the disk.
type Store struct {
	fs     vfs.FS
	folder string // "": nothing is kept
}

// Open returns the store in the user's folder for this program, which need not exist. With an empty home nothing
// is kept: what is moved aside can then be taken back only by renaming it.
func Open(fsys vfs.FS, home string) *Store {
	if home == "" {
		return &Store{fs: fsys}
	}
	return &Store{fs: fsys, folder: filepath.Join(home, "quarantine")}
}

// Bounds of the store. A user who never looks loses the record of the oldest items, not the items.
const (
	mostItems   = 2000
	mostAllowed = 2000
)

// kept is what the file of the store holds.
type kept struct {
	Version int    `json:"version"`
	Aside   []Item `json:"aside,omitempty"`
	// Allowed are digests of what the user has taken back, by their paths: they are not moved again.
	Allowed []allowed `json:"allowed,omitempty"`
}

type allowed struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
}

const version = 1

func (s *Store) file() string { return filepath.Join(s.folder, "items.json") }

// read returns the content of the file.
func (s *Store) read() (k kept, err error) {
	if s.folder == "" {
		return k, nil
	}
	data, err := s.fs.ReadFile(s.file())
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, vfs.Failure("quarantine", s.file(), err)
	}
	return s.parse(data)
}

func (s *Store) parse(data []byte) (k kept, err error) {
	if len(data) == 0 {
		return k, nil
	}
	if err = fault.DecodeObject(data, &k); err == nil && k.Version > version {
		err = fmt.Errorf("its version is %d, and this program knows %d: a newer Sidestick wrote it", k.Version, version)
	}
	if err != nil {
		return kept{}, &fault.Error{Op: "quarantine", On: s.file(), Kind: fault.Invalid, Err: err, Hint: "repair the file, or remove it: what was moved aside stays where it is"}
	}
	return k, nil
}

// change changes the file.
func (s *Store) change(f func(*kept) error) error {
	if s.folder == "" {
		return nil
	}
	var own error
	err := vfs.Change(context.Background(), s.fs, s.file(), func(now []byte) ([]byte, error) {
		k, err := s.parse(now)
		if err != nil {
			return nil, err
		}
		if own = f(&k); own != nil {
			return nil, own
		}
		k.Version = version
		k.Aside = k.Aside[max(0, len(k.Aside)-mostItems):]
		k.Allowed = k.Allowed[max(0, len(k.Allowed)-mostAllowed):]
		return json.MarshalIndent(k, "", "  ")
	})
	switch {
	case own != nil:
		return own
	case err != nil:
		return vfs.Failure("quarantine", s.file(), err)
	}
	return nil
}

// add notes what was moved aside.
func (s *Store) add(items []Item) error {
	return s.change(func(k *kept) error { k.Aside = append(k.Aside, items...); return nil })
}

// allows reports whether the user has taken a file back as it is.
func (s *Store) allows(path string) bool {
	k, err := s.read()
	if err != nil {
		return false // it is moved aside again, and nothing is lost
	}
	digest := ""
	return slices.ContainsFunc(k.Allowed, func(a allowed) bool {
		if a.Path != path {
			return false
		}
		if digest == "" { // it reads the file
			digest = digestOf(path)
		}
		return a.Digest == digest
	})
}

// List returns what is aside, in the order in which it was moved. What the user has moved or removed is not
// among it.
func (s *Store) List() ([]Item, error) {
	k, err := s.read()
	return slices.DeleteFunc(k.Aside, func(i Item) bool { return !isThere(i.Aside) }), err
}

// isThere reports whether there is something at a path, as far as that can be known: a command may have made its folder
// unreadable.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Below returns those of [Store.List] that are in a folder.
func (s *Store) Below(folder string) ([]Item, error) {
	all, err := s.List()
	return slices.DeleteFunc(all, func(i Item) bool { _, in := below(folder, i.Path); return !in }), err
}

// find returns the item with a path, where it was or where it is.
func (k *kept) find(path string) (at int, err error) {
	for at := len(k.Aside) - 1; at >= 0; at-- {
		if isThere(k.Aside[at].Aside) && (k.Aside[at].Path == path || k.Aside[at].Aside == path) {
			return at, nil
		}
	}
	return 0, notAside(path)
}

func notAside(path string) error {
	return fault.New(fault.NotFound, "quarantine", path, "nothing with this path was moved aside; sidestick quarantine shows what was")
}

// Allow takes something back that was moved aside: it has its path again, and is not moved aside as long as
// its content is the same. path is where it was or where it is. The error is [fault.NotFound] if it
// was not moved aside, [fault.Conflict] if there is something else at its path by now, or if its content has changed since
// it was moved, unless changed.
func (s *Store) Allow(path string, changed bool) (item Item, err error) {
	return s.AllowIn("", path, changed)
}

// AllowIn is [Store.Allow] for what is in a folder; elsewhere nothing is found. An empty folder is every folder.
func (s *Store) AllowIn(folder, path string, changed bool) (item Item, err error) {
	err = s.change(func(k *kept) error {
		at, err := k.find(path)
		if _, in := below(folder, path); err == nil && folder != "" && !in {
			err = notAside(path)
		}
		if err != nil {
			return err
		}
		item = k.Aside[at]
		digest := digestOf(item.Aside)
		if digest != item.Digest && !changed {
			return &fault.Error{Op: "quarantine", On: item.Aside, Kind: fault.Conflict, Err: errors.New("its content has changed since it was moved aside"), Hint: "look at it once more; with --changed it is taken back as it is now"}
		}
		if err := putBack(item); err != nil {
			return err
		}
		k.Aside = slices.Delete(k.Aside, at, at+1)
		k.Allowed = append(k.Allowed, allowed{item.Path, digestOf(item.Path)})
		return nil
	})
	return item, err
}

// Forget takes something off the list. It stays where it is, under its new name.
func (s *Store) Forget(path string) (item Item, err error) {
	err = s.change(func(k *kept) error {
		at, err := k.find(path)
		if err == nil {
			item = k.Aside[at]
			k.Aside = slices.Delete(k.Aside, at, at+1)
		}
		return err
	})
	return item, err
}
