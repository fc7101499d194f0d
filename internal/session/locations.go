package session

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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
	if root := r.finder.GitRoot(real); root != "" {
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
	err = s.do(ctx, func() error { cwd = s.state.Cwd; return nil })
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
		LocationKey: l.LocationKey, LocationType: l.LocationType, AppliedRules: permit.ToWire(locationRules(kept)),
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
	return permit.FromWire(l.Rules, "approved for this location")
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
		for _, r := range permit.FromWire(rules, "approved for a location") {
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
