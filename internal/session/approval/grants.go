package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Grants stores the approvals that outlast a session, and what shows that a session is one of
// ours: the former for locations and for always, with trusted folders, in [Places]; the key
// and the grants of each session in a [Vault]. Grants is safe for concurrent use. Its methods
// wait for the stores, so no session calls them on its goroutine.
type Grants struct {
	vault  Vault
	places Places

	changing sync.Mutex // held while this process changes places, whose locks wait only so long

	mu     sync.Mutex // guards the rest
	secret []byte     // the key of vault; nil until it is needed
}

// NewGrants returns the grants in two stores.
func NewGrants(v Vault, p Places) *Grants { return &Grants{vault: v, places: p} }

// OpenGrants returns the grants in the file at path, which may not exist, and beside it; see
// [Files]. With an empty path they are kept in memory.
func OpenGrants(fsys vfs.FS, path string) *Grants {
	if path == "" {
		return NewGrants(InMemory())
	}
	return NewGrants(Files(fsys, path))
}

// grantsVersion is the version of the file that this program writes.
const grantsVersion = 1

// grantsFile is what the file holds.
type grantsFile struct {
	Version int `json:"version"` // [grantsVersion]
	// Locations holds approvals by the key of their location; see [Permissions.Location].
	Locations map[string]*location `json:"locations,omitempty"`
	// Trusted lists folders, with links resolved, whose hooks and skills may act.
	Trusted []string `json:"trustedFolders,omitempty"`
	// Contents has what the user has agreed to in each of them: by the folder, and then by the path of
	// the file, relative to the folder and with slashes. A folder that is not in it was trusted by a
	// version that looked at no content, and nothing of it counts.
	Contents map[string]map[string]projectfiles.Agreed `json:"trustedContents,omitempty"`
	// Servers has what servers of projects are granted.
	Servers []ServerGrant `json:"serverGrants,omitempty"`
	// Addresses lists arguments of rules for URLs.
	Addresses []string `json:"addresses,omitempty"`
}

type location struct {
	Rules   []wire.PermissionRule `json:"rules,omitempty"`
	Tools   definitions           `json:"tools,omitempty"` // that Rules hold for
	Folders []string              `json:"folders,omitempty"`
}

// read returns the approvals. What cannot be read is an error, so that the user learns why an
// approval no longer holds.
func (g *Grants) read() (grantsFile, error) {
	ctx, done := bounded()
	defer done()
	data, err := g.places.Read(ctx)
	if data == nil || err != nil {
		return grantsFile{}, err
	}
	return g.parse(data)
}

// parse reads the content of the file. Content that this version does not write is an error,
// so that no change overwrites it.
func (g *Grants) parse(data []byte) (b grantsFile, err error) {
	hint := "repair the file, or remove it and approve again"
	err = fault.DecodeObject(data, &b)
	if err == nil && b.Version > grantsVersion {
		err = fmt.Errorf("its version is %d, and this program knows %d: a newer Sidestick wrote it", b.Version, grantsVersion)
		hint = "use that one, or choose another home with SIDESTICK_HOME"
	}
	if err != nil {
		return grantsFile{}, &fault.Error{Op: "permissions", On: g.places.Name(), Kind: fault.Invalid, Err: err, Hint: hint}
	}
	maps.DeleteFunc(b.Locations, func(_ string, l *location) bool { return l == nil })
	return b, nil
}

// Check returns why the file cannot be used, and the stored rules that could never match, each
// in one line. A file that does not exist is in order.
func (g *Grants) Check() (odd []string, err error) {
	b, err := g.read()
	for _, key := range slices.Sorted(maps.Keys(b.Locations)) {
		for _, r := range b.Locations[key].Rules {
			if err := permit.CheckWire([]wire.PermissionRule{r}); err != nil {
				odd = append(odd, key+": "+err.Error())
			}
		}
	}
	return odd, err
}

// change changes the approvals.
func (g *Grants) change(f func(*grantsFile)) error {
	g.changing.Lock()
	defer g.changing.Unlock()
	ctx, done := bounded()
	defer done()
	return g.places.Change(ctx, func(now []byte) (_ []byte, err error) {
		var b grantsFile
		if now != nil {
			b, err = g.parse(now)
		}
		if err != nil {
			return nil, err
		}
		before := b.copy()
		f(&b)
		if reflect.DeepEqual(before, b.copy()) {
			return now, nil
		}
		b.Version = grantsVersion
		data, err := json.MarshalIndent(b, "", "  ")
		return append(data, '\n'), err
	})
}

// addresses returns the rules that were approved for always, none if the file cannot be
// read.
func (g *Grants) addresses() []permit.Rule {
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

// permits returns the rules of a location.
func (l location) permits() []permit.Rule {
	return permit.FromWire(l.Rules, "approved for this location")
}

// copy returns a copy that shares nothing with b.
func (b grantsFile) copy() grantsFile {
	c := grantsFile{Version: b.Version, Trusted: slices.Clone(b.Trusted), Servers: slices.Clone(b.Servers), Addresses: slices.Clone(b.Addresses), Locations: map[string]*location{}}
	for dir, files := range b.Contents {
		if c.Contents == nil {
			c.Contents = map[string]map[string]projectfiles.Agreed{}
		}
		c.Contents[dir] = maps.Clone(files)
	}
	for key, l := range b.Locations {
		c.Locations[key] = &location{Rules: slices.Clone(l.Rules), Tools: maps.Clone(l.Tools), Folders: slices.Clone(l.Folders)}
	}
	return c
}

// at returns the location of a key, and adds it if necessary.
func (b *grantsFile) at(key string) *location {
	if b.Locations[key] == nil {
		if b.Locations == nil {
			b.Locations = map[string]*location{}
		}
		b.Locations[key] = &location{}
	}
	return b.Locations[key]
}

// addAddresses adds the addresses of rules that are not there yet, and returns those.
func (b *grantsFile) addAddresses(rules []permit.Rule) (added []string) {
	for _, r := range rules {
		if r.Kind == permit.URL && r.Argument != "" && !slices.Contains(b.Addresses, r.Argument) {
			b.Addresses = append(b.Addresses, r.Argument)
			added = append(added, r.Argument)
		}
	}
	return added
}

func (b *grantsFile) removeAddresses(addresses []string) {
	b.Addresses = slices.DeleteFunc(b.Addresses, func(a string) bool { return slices.Contains(addresses, a) })
}

// removeEmpty removes locations without rules.
func (b *grantsFile) removeEmpty() {
	for key, l := range b.Locations {
		if len(l.Rules) == 0 && len(l.Folders) == 0 {
			delete(b.Locations, key)
		}
	}
}

// add adds rules that are not there yet, and returns those.
func (l *location) add(rules []wire.PermissionRule) (added []wire.PermissionRule) {
	for _, r := range rules {
		if !slices.ContainsFunc(l.Rules, func(have wire.PermissionRule) bool { return sameRule(have, r) }) {
			l.Rules = append(l.Rules, r)
			added = append(added, r)
		}
	}
	return added
}

func (l *location) remove(rules []wire.PermissionRule) {
	l.Tools = l.Tools.without(permit.FromWire(rules, ""))
	l.Rules = slices.DeleteFunc(l.Rules, func(have wire.PermissionRule) bool {
		return slices.ContainsFunc(rules, func(r wire.PermissionRule) bool { return sameRule(have, r) })
	})
}

func sameRule(a, b wire.PermissionRule) bool {
	x, y := permit.FromWire([]wire.PermissionRule{a}, ""), permit.FromWire([]wire.PermissionRule{b}, "")
	return len(x) > 0 && len(y) > 0 && x[0].Same(y[0])
}
