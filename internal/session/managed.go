package session

import (
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// managed returns the policy that a configuration injects; the zero value if it has none.
func managed(cfg wire.Config) (permit.Managed, error) {
	if cfg.ManagedSettings == nil || cfg.ManagedSettings.Permissions == nil {
		return permit.Managed{}, nil
	}
	p := cfg.ManagedSettings.Permissions
	return permit.ParseManaged(p.Deny, p.Ask, p.Allow, p.Bypass)
}

// manage puts the policies of the attached clients in force, all of them together. That of a
// client that has left stays until the next one attaches, because its run may still work.
func (e attachment) manage() {
	var all permit.Managed
	for _, c := range e.s.clients {
		all = all.Join(c.managed)
	}
	e.s.permissions.Manage(all)
}

// tellManaged tells the clients which policy is in force, if the configuration has one.
func (e attachment) tellManaged(cfg wire.Config) {
	if cfg.ManagedSettings == nil {
		return
	}
	m, yes := e.s.permissions.Managed(), true
	told := &wire.ManagedResolved{
		Source: wire.ManagedByClient, ClientManaged: &yes, BypassPermissionsDisabled: m.NoBypass, FailClosed: m.FailClosed, ManagedKeys: []string{},
	}
	if cfg.ManagedSettings.Permissions != nil {
		told.ManagedKeys, told.Settings = []string{"permissions"}, cfg.ManagedSettings
	}
	e.s.log.Emit("", told)
}
