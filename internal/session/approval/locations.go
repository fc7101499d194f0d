package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Location returns the key under which approvals for a folder are stored. An empty dir means
// the working directory; [fault.NotFound] if the session has none, as when it was created in
// a directory that had been deleted.
func (p *Permissions) Location(ctx context.Context, dir string) (l wire.PermissionLocation, err error) {
	cwd, err := p.cwd(ctx)
	if err != nil {
		return l, err
	}
	return p.files.paths.location(dir, cwd)
}

// ApplyLocation puts the approvals for the location of a folder in force. The approvals for
// another location are no longer in force.
func (p *Permissions) ApplyLocation(ctx context.Context, dir string) (wire.PermissionLocationLoaded, error) {
	l, err := p.Location(ctx, dir)
	if err != nil {
		return wire.PermissionLocationLoaded{}, err
	}
	b, err := p.files.grants.read()
	if err != nil {
		return wire.PermissionLocationLoaded{}, err
	}
	stored := *b.at(l.LocationKey)
	loaded := wire.PermissionLocationLoaded{
		LocationKey: l.LocationKey, LocationType: l.LocationType, AppliedRules: permit.ToWire(stored.permits()),
		AppliedDirectoryCount: int64(len(stored.Folders)),
	}
	loaded.AppliedRuleCount = int64(len(loaded.AppliedRules))
	loaded.Changed, err = change(ctx, p, p.session.Do, func() (changed bool, _ error) {
		return p.policy.applyLocation(l.LocationKey, stored), nil
	})
	return loaded, err
}

// AddLocationRules stores rules for a location, and puts them in force in this session.
func (p *Permissions) AddLocationRules(ctx context.Context, key string, rules []wire.PermissionRule) error {
	const op = "session.permissions.locations.addToolApproval"
	if len(rules) == 0 {
		return p.invalid(op, "approval is of a kind that is not asked about here")
	}
	if err := p.checkRules(op, rules); err != nil {
		return err
	}
	if err := p.changeLocation(ctx, key, func(l *location) {
		l.add(rules)
		l.Tools = l.Tools.without(permit.FromWire(rules, "")) // the client says so, whatever the definition
	}); err != nil {
		return err
	}
	return p.change(ctx, func() {
		added := permit.FromWire(rules, "approved for a location")
		p.policy.addLocationRules(added)
		p.policy.seen = p.policy.seen.without(added)
	})
}

// changeLocation changes the stored rules of a location. An empty key means the location in
// force. For that location, the change applies in this session.
func (p *Permissions) changeLocation(ctx context.Context, key string, f func(*location)) error {
	inForce, err := p.locationInForce(ctx)
	if err != nil {
		return err
	}
	if key == "" {
		key = inForce
	}
	var now location
	err = p.files.grants.change(func(b *grantsFile) {
		f(b.at(key))
		now = *b.copy().Locations[key]
		b.removeEmpty()
	})
	if err != nil {
		return err
	}
	return p.change(ctx, func() {
		if key == inForce {
			p.policy.setLocationRules(now.permits())
			p.policy.seen = now.Tools
		}
	})
}

// locationInForce returns the key of the location that the session has applied or, if it has
// applied none, of the one that its working directory belongs to.
func (p *Permissions) locationInForce(ctx context.Context) (string, error) {
	own, err := p.Location(ctx, "")
	if err != nil {
		return "", err
	}
	applied, err := mailbox.Ask(ctx, p.session.Do, func() (string, error) { return p.policy.location, nil })
	if applied == "" {
		applied = own.LocationKey
	}
	return applied, err
}
