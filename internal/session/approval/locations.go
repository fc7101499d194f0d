package approval

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Location returns the key under which approvals for a folder are stored. An empty dir means
// the working directory.
func (p *Permissions) Location(ctx context.Context, dir string) (l wire.PermissionLocation, err error) {
	cwd, err := p.cwd(ctx)
	if err != nil {
		return l, err
	}
	return p.opts.Paths.location(dir, cwd)
}

// ApplyLocation puts the approvals for the location of a folder in force. The approvals for
// another location are no longer in force.
func (p *Permissions) ApplyLocation(ctx context.Context, dir string) (wire.PermissionLocationLoaded, error) {
	l, err := p.Location(ctx, dir)
	if err != nil {
		return wire.PermissionLocationLoaded{}, err
	}
	b, err := p.opts.Grants.read()
	if err != nil {
		return wire.PermissionLocationLoaded{}, err
	}
	kept := *b.at(l.LocationKey)
	loaded := wire.PermissionLocationLoaded{
		LocationKey: l.LocationKey, LocationType: l.LocationType, AppliedRules: permit.ToWire(kept.permits()),
		AppliedDirectoryCount: int64(len(kept.Folders)),
	}
	loaded.AppliedRuleCount = int64(len(loaded.AppliedRules))
	loaded.Changed, err = change(ctx, p, p.session.Do, func() (changed bool, _ error) {
		changed = p.policy.location != l.LocationKey
		p.policy.location, p.policy.approved = l.LocationKey, kept.permits()
		for _, dir := range kept.Folders {
			p.addFolder(dir)
		}
		return changed, nil
	})
	return loaded, err
}

// AddLocationRules stores rules for a location, and puts them in force in this session.
func (p *Permissions) AddLocationRules(ctx context.Context, key string, rules []wire.PermissionRule) error {
	if len(rules) == 0 {
		return p.invalid("session.permissions.locations.addToolApproval", "approval is of a kind that is not asked about here")
	}
	if err := p.changeLocation(ctx, key, func(l *location) { l.add(rules) }); err != nil {
		return err
	}
	return p.change(ctx, func() error {
		for _, r := range permit.FromWire(rules, "approved for a location") {
			if !slices.ContainsFunc(p.policy.approved, r.Same) {
				p.policy.approved = append(slices.Clip(p.policy.approved), r)
			}
		}
		return nil
	})
}

// changeLocation changes the stored rules of a location. The change applies in this session
// if the session has applied that location or, if it has applied none, if its working
// directory is there. An empty key means that location.
func (p *Permissions) changeLocation(ctx context.Context, key string, f func(*location)) error {
	own, err := p.Location(ctx, "")
	if err != nil {
		return err
	}
	applied, err := mailbox.Ask(ctx, p.session.Do, func() (string, error) { return p.policy.location, nil })
	if err != nil {
		return err
	}
	if applied != "" {
		own.LocationKey = applied
	}
	if key == "" {
		key = own.LocationKey
	}
	var now location
	err = p.opts.Grants.change(func(b *grantsFile) {
		f(b.at(key))
		now = *b.copy().Locations[key]
		b.removeEmpty()
	})
	if err != nil {
		return err
	}
	return p.change(ctx, func() error {
		if key == own.LocationKey {
			p.policy.approved = now.permits()
		}
		return nil
	})
}
