package session

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// grants is what people allowed beyond a session: one small file that is read whole
// and replaced whole. Processes share it; each change is made to what the file says at
// that moment, one process at a time. It is safe for concurrent use.
type grants struct {
	fs   vfs.FS
	path string // "" keeps everything in memory

	mu     sync.Mutex // guards memory; held while the file is changed
	memory book
}

// book is what the file holds.
type book struct {
	Version int `json:"version"` // 1
	// Locations are approvals by the key of the place, see [Registry.location].
	Locations map[string]*location `json:"locations,omitempty"`
	// Trusted are folders whose owner is trusted, resolved.
	Trusted []string `json:"trustedFolders,omitempty"`
	// Addresses are arguments of rules for URLs.
	Addresses []string `json:"addresses,omitempty"`
}

type location struct {
	Rules   []wire.PermissionRule `json:"rules,omitempty"`
	Folders []string              `json:"folders,omitempty"`
}

// read returns what is granted. A file that cannot be read grants nothing, and is an
// error: nobody is to wonder why they are asked again.
func (g *grants) read() (book, error) {
	if g.path == "" {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.memory.copy(), nil
	}
	var b book
	data, err := g.fs.ReadFile(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err != nil {
		return book{}, &fault.Error{
			Op: "permissions", On: g.path, Kind: fault.Invalid, Err: err, Hint: "repair the file, or remove it and approve again",
		}
	}
	return b, nil
}

// change makes a change and keeps it.
func (g *grants) change(f func(*book)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.path == "" {
		f(&g.memory)
		return nil
	}
	if err := vfs.MkdirAllSync(g.fs, filepath.Dir(g.path), 0o700); err != nil {
		return g.failed(err)
	}
	lock, err := vfs.Lock(context.Background(), g.fs, g.path+".lock")
	if err != nil {
		return g.failed(err)
	}
	defer func() { _ = lock.Close() }() // nothing was written to it
	b, err := g.read()
	if err != nil {
		return err
	}
	before := b.copy()
	f(&b)
	if reflect.DeepEqual(before, b.copy()) {
		return nil
	}
	b.Version = 1
	data, err := json.MarshalIndent(b, "", "  ")
	if err == nil {
		err = vfs.WriteFileAtomic(g.fs, g.path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return g.failed(err)
	}
	return nil
}

func (g *grants) failed(err error) error {
	return &fault.Error{Op: "permissions", On: g.path, Kind: fault.Unavailable, Err: err}
}

// addresses are the rules that were allowed for always. What cannot be read allows
// nothing.
func (g *grants) addresses() []permit.Rule {
	b, _ := g.read()
	var rules []permit.Rule
	for _, a := range b.Addresses {
		if r, err := permit.NewRule(string(permit.URL), a, true); err == nil && a != "" {
			r.From = "allowed for always"
			rules = append(rules, r)
		}
	}
	return rules
}

// copy is a book that shares nothing with b.
func (b book) copy() book {
	c := book{Version: b.Version, Trusted: slices.Clone(b.Trusted), Addresses: slices.Clone(b.Addresses), Locations: map[string]*location{}}
	for key, l := range b.Locations {
		c.Locations[key] = &location{Rules: slices.Clone(l.Rules), Folders: slices.Clone(l.Folders)}
	}
	return c
}

// at returns the location of a key, which is made if it is not there.
func (b *book) at(key string) *location {
	if b.Locations[key] == nil {
		if b.Locations == nil {
			b.Locations = map[string]*location{}
		}
		b.Locations[key] = &location{}
	}
	return b.Locations[key]
}

// tidy drops locations that hold nothing.
func (b *book) tidy() {
	for key, l := range b.Locations {
		if len(l.Rules) == 0 && len(l.Folders) == 0 {
			delete(b.Locations, key)
		}
	}
}

// add adds rules that are not there yet.
func (l *location) add(rules []wire.PermissionRule) {
	for _, r := range rules {
		if !slices.ContainsFunc(l.Rules, func(have wire.PermissionRule) bool { return sameRule(have, r) }) {
			l.Rules = append(l.Rules, r)
		}
	}
}

func (l *location) remove(rules []wire.PermissionRule) {
	l.Rules = slices.DeleteFunc(l.Rules, func(have wire.PermissionRule) bool {
		return slices.ContainsFunc(rules, func(r wire.PermissionRule) bool { return sameRule(have, r) })
	})
}

func sameRule(a, b wire.PermissionRule) bool {
	x, y := permit.FromWire([]wire.PermissionRule{a}, ""), permit.FromWire([]wire.PermissionRule{b}, "")
	return len(x) > 0 && len(y) > 0 && x[0].Same(y[0])
}
