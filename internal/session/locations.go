package session

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Folders are the folders that the session may work in, the primary one first.
func (s *Session) Folders(ctx context.Context) (list wire.PermissionFolders, err error) {
	err = s.do(ctx, func() error {
		places := s.places().Join(s.reg.opts.Rules.Places)
		list = wire.PermissionFolders{Primary: places.Primary, Directories: places.Folders()}
		return nil
	})
	return list, err
}

// AddFolder allows one folder more.
func (s *Session) AddFolder(ctx context.Context, path string) error {
	return s.do(ctx, func() error {
		dir, err := s.folder("session.permissions.paths.add", path)
		if err == nil && !slices.Contains(s.policy.folders, dir) {
			s.policy.folders = append(slices.Clip(s.policy.folders), dir)
			s.reconsider()
		}
		return err
	})
}

// SetPrimaryFolder makes a folder the one where relative rules begin. The working
// directory stays what it is.
func (s *Session) SetPrimaryFolder(ctx context.Context, path string) error {
	return s.do(ctx, func() error {
		dir, err := s.folder("session.permissions.paths.updatePrimary", path)
		if err == nil {
			s.policy.primary = dir
			s.reconsider()
		}
		return err
	})
}

// folder resolves a path that has to be a folder.
func (s *Session) folder(op, path string) (string, error) {
	dir := s.reg.leads(path, s.cwd)
	if dir == "" {
		return "", fault.New(fault.Invalid, op, s.id, "it cannot be known where %q leads", path)
	}
	info, err := s.reg.opts.FS.Stat(dir)
	if err != nil {
		return "", fault.New(fault.NotFound, op, s.id, "%w", err)
	}
	if !info.IsDir() {
		return "", fault.New(fault.Invalid, op, s.id, "%s is no folder", dir)
	}
	return dir, nil
}

// Within reports whether a path lies in the primary folder, or, if any is set, in any
// that is allowed. A path is judged by where it leads.
func (s *Session) Within(ctx context.Context, path string, any bool) (in bool, err error) {
	err = s.do(ctx, func() error {
		places := s.places().Join(s.reg.opts.Rules.Places)
		if !any {
			places = permit.Places{Primary: places.Primary}
		}
		in = places.Contains(s.reg.leads(path, s.cwd))
		return nil
	})
	return in, err
}

// location is what approvals for a place are kept under: the root of the git
// repository around a folder, or the folder.
func (r *Registry) location(dir, cwd string) (wire.PermissionLocation, error) {
	if dir == "" {
		dir = cwd
	}
	real := r.leads(dir, cwd)
	if real == "" {
		return wire.PermissionLocation{}, fault.New(fault.Invalid, "session.permissions.locations", "", "it cannot be known where %q leads", dir)
	}
	if root := gitRoot(r.opts.FS, real); root != "" {
		return wire.PermissionLocation{LocationKey: filepath.Clean(root), LocationType: "repo"}, nil
	}
	return wire.PermissionLocation{LocationKey: real, LocationType: "dir"}, nil
}

// Location says what approvals for a folder are kept under.
func (s *Session) Location(ctx context.Context, dir string) (l wire.PermissionLocation, err error) {
	cwd, err := s.where(ctx)
	if err != nil {
		return l, err
	}
	return s.reg.location(dir, cwd)
}

func (s *Session) where(ctx context.Context) (cwd string, err error) {
	err = s.do(ctx, func() error { cwd = s.cwd; return nil })
	return cwd, err
}

// ApplyLocation takes over what was approved for the place around a folder, in place
// of what was applied before.
func (s *Session) ApplyLocation(ctx context.Context, dir string) (wire.PermissionLocationLoaded, error) {
	l, err := s.Location(ctx, dir)
	if err != nil {
		return wire.PermissionLocationLoaded{}, err
	}
	b, err := s.reg.grants.read()
	if err != nil {
		return wire.PermissionLocationLoaded{}, err
	}
	kept := *b.at(l.LocationKey)
	loaded := wire.PermissionLocationLoaded{
		LocationKey: l.LocationKey, LocationType: l.LocationType, AppliedRules: wireRules(locationRules(kept)),
		AppliedDirectoryCount: int64(len(kept.Folders)),
	}
	loaded.AppliedRuleCount = int64(len(loaded.AppliedRules))
	err = s.do(ctx, func() error {
		loaded.Changed = s.policy.location != l.LocationKey
		s.policy.location, s.policy.here = l.LocationKey, locationRules(kept)
		for _, dir := range kept.Folders {
			if !slices.Contains(s.policy.folders, dir) {
				s.policy.folders = append(slices.Clip(s.policy.folders), dir)
			}
		}
		s.reconsider()
		return nil
	})
	return loaded, err
}

func locationRules(l location) []permit.Rule {
	return permitRules(l.Rules, "approved for this location")
}

// AddLocationRules keeps rules for a place and applies them here.
func (s *Session) AddLocationRules(ctx context.Context, key string, rules []wire.PermissionRule) error {
	if len(rules) == 0 {
		return fault.New(fault.Invalid, "session.permissions.locations.addToolApproval", s.id, "approval is of a kind that is not asked about here")
	}
	if err := s.changeLocation(ctx, key, func(l *location) { l.add(rules) }); err != nil {
		return err
	}
	return s.do(ctx, func() error {
		for _, r := range permitRules(rules, "approved for a location") {
			if !slices.ContainsFunc(s.policy.here, r.Same) {
				s.policy.here = append(slices.Clip(s.policy.here), r)
			}
		}
		s.reconsider()
		return nil
	})
}

// changeLocation changes what is kept for a place, and applies it if it is the one
// that the session has applied, or works in where it has applied none. "" is that one.
func (s *Session) changeLocation(ctx context.Context, key string, f func(*location)) error {
	own, err := s.Location(ctx, "")
	if err != nil {
		return err
	}
	err = s.do(ctx, func() error {
		if s.policy.location != "" {
			own.LocationKey = s.policy.location
		}
		return nil
	})
	if err != nil {
		return err
	}
	if key == "" {
		key = own.LocationKey
	}
	var now location
	err = s.reg.grants.change(func(b *book) {
		f(b.at(key))
		now = *b.copy().Locations[key]
		b.tidy()
	})
	if err != nil {
		return err
	}
	return s.do(ctx, func() error {
		if key == own.LocationKey {
			s.policy.here = locationRules(now)
		}
		s.reconsider()
		return nil
	})
}

// extend completes an approval that holds for more than one call: what it covers, and
// where it is kept. It reports false if nobody waits for it.
func (s *Session) extend(ctx context.Context, requestID string, a permit.Answer) (_ permit.Answer, ok bool, err error) {
	err = s.do(ctx, func() error {
		w := s.waits[requestID]
		if ok = w != nil && w.permission != nil; !ok {
			return nil
		}
		q := askedFor(wire.Raw(w.permission.data))
		if a.Rules == nil {
			a.Rules = s.rulesFor(q).Covering(q)
		}
		a.Rules = sameScheme(a.Rules, q.Address)
		return nil
	})
	if err != nil || !ok {
		return a, false, err
	}
	switch a.Scope {
	case permit.ForLocation:
		l, err := s.Location(ctx, "")
		if err != nil {
			return a, false, err
		}
		if a.Location == "" {
			a.Location = l.LocationKey
		}
		// Here it holds as soon as the answer is recorded, as one for the session does.
		return a, true, s.reg.grants.change(func(b *book) { b.at(a.Location).add(wireRules(a.Rules)); b.tidy() })
	case permit.Always:
		return a, true, s.reg.grants.change(func(b *book) {
			for _, r := range a.Rules {
				if r.Kind == permit.URL && r.Argument != "" && !slices.Contains(b.Addresses, r.Argument) {
					b.Addresses = append(b.Addresses, r.Argument)
				}
			}
		})
	}
	return a, true, nil
}

// sameScheme lets an approval of a bare host cover the address that was asked about.
func sameScheme(rules []permit.Rule, address string) []permit.Rule {
	const plain = "http://"
	rules = slices.Clone(rules)
	for i, r := range rules {
		if len(address) > len(plain) && address[:len(plain)] == plain && r.Kind == permit.URL && !slices.Contains([]byte(r.Argument), ':') {
			rules[i].Argument = plain + r.Argument
		}
	}
	return rules
}

// Trusted reports whether a folder, or one above it, is trusted.
func (r *Registry) Trusted(path string) (bool, error) {
	real := r.leads(path, r.opts.Cwd)
	b, err := r.grants.read()
	return slices.ContainsFunc(b.Trusted, func(dir string) bool { return permit.Places{Primary: dir}.Contains(real) }), err
}

// Trust trusts a folder and all below it, for every session.
func (r *Registry) Trust(path string) error {
	real := r.leads(path, r.opts.Cwd)
	if real == "" {
		return fault.New(fault.Invalid, "session.permissions.folderTrust.addTrusted", "", "it cannot be known where %q leads", path)
	}
	return r.grants.change(func(b *book) {
		if !slices.Contains(b.Trusted, real) {
			b.Trusted = append(b.Trusted, real)
		}
	})
}
