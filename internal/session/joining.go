package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// newClient makes a client that sees the events after the record at after. It is not
// attached yet.
func (e attachment) newClient(cfg wire.Config, peer Peer, after uint64) *Client {
	c := &Client{
		s: e.s, peer: guardPeer(peer, e.s.log.Logger()), abilities: abilitiesOf(cfg), decides: is(cfg.RequestPermission), hooks: is(cfg.Hooks),
		transforms: transforms(cfg.SystemMessage), muted: cfg.SubagentDeltas != nil && !*cfg.SubagentDeltas,
		name: cfg.ClientName, by: cfg.By, join: wire.NewID(), skills: cfg.SkillProvider,
	}
	c.whole.Store(!e.s.config.streaming)
	if cfg.Streaming != nil {
		c.whole.Store(!*cfg.Streaming)
	}
	c.tools = e.s.tools.external.Bring(asked{c}, cfg.Tools)
	c.managed, _ = managed(cfg) // it was checked
	c.commands = command.Named(cfg.Commands)
	c.tail = e.s.log.Tail(after)
	return c
}

// keep gives a client what its earlier attachment had and cfg leaves out; before is nil if there was none.
func (c *Client) keep(before *Client, cfg wire.Config) {
	if before != nil && cfg.Streaming == nil {
		c.whole.Store(before.whole.Load())
	}
	if before != nil && cfg.HasSkillProvider == nil {
		c.skills = before.skills
	}
}

// attach adds a client. Its tools and its named providers join those of the others, and it is
// asked for the tokens of the providers that it brings.
func (e attachment) attach(c *Client, cfg wire.Config) {
	c.attached, c.leave = context.WithCancel(context.Background())
	c.count()
	if len(cfg.Providers)+len(cfg.Models) > 0 {
		e.s.config.providers.Registered = e.s.config.providers.Registered.Add(cfg.By, c.tokens, cfg.Providers, cfg.Models)
	}
	if cfg.Carrier != nil {
		e.s.config.carrier = carrier{client: c, of: cfg.Carrier}
	}
	e.ask(c, cfg)
	if cfg.SkillProvider != nil && slices.ContainsFunc(e.s.clients, func(other *Client) bool { return other.skills != nil }) {
		e.s.log.RecordOrEmit("", &wire.SessionWarning{WarningType: discovery.SkillProvider, Message: "Two clients give skills to this session. Until the one that has attached last leaves, only its skills are used."})
	}
	e.s.clients = append(e.s.clients, c)
	e.useSkills()
	e.s.tools.external.Join(c.tools)
	e.manage()
	e.s.callHooksOfClient()
	audience(e).announce(c)
}

// useSkills has the session use the skills of the client that attached last of those that give any. Those of the last
// one that has left stay, so that a warning says why they are not there.
func (e attachment) useSkills() {
	for _, c := range slices.Backward(e.s.clients) {
		if c.skills != nil {
			e.s.config.search.Provider = c.skills
			return
		}
	}
}

// ask has a client asked for the tokens of the provider that it brings, and keeps the secrets of its
// providers out of the log.
func (e attachment) ask(c *Client, cfg wire.Config) {
	if cfg.Provider != nil {
		e.s.config.providers.Own.Endpoint.Token = tokenSource(e.s, c, defaultProviderName, cfg.Provider.HasTokenSource)
	}
	e.s.home.Models.AddSecrets(cfg, e.s.log.Secrets()) // the process knows its own
}

// Departing is a [Peer] that knows whether its client has closed the connection. A connection
// notices that only when it has read everything that the client sent, which may be after
// another client has resumed the session. Whether a resume counts as the first one after the
// last client left must not depend on which connection is read first.
type Departing interface {
	Peer
	// AwaitDeparture returns at once if the client may still be connected. If the client has
	// closed the connection, AwaitDeparture returns when the client has left its sessions, when
	// ctx ends, or after a bounded time.
	AwaitDeparture(ctx context.Context)
}

// awaitDepartures waits until the clients that had closed their connections before the call
// have left the session. It does not wait for the client that resumes the session.
func (e attachment) awaitDepartures(ctx context.Context, replacing *Client) error {
	others, err := mailbox.Ask(ctx, e.s.log.Do, func() ([]*Client, error) { return slices.Clone(e.s.clients), nil })
	if err != nil {
		return err
	}
	var waits sync.WaitGroup
	for _, c := range others {
		if g, ok := c.peer.(guarded); ok && c != replacing {
			waits.Go(func() { g.awaitDeparture(ctx) })
		}
	}
	waits.Wait()
	return nil
}

// awaitDeparture returns at once for a peer that cannot be asked.
func (g guarded) awaitDeparture(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			g.logs.Error("a client's connection panicked", "panic", fmt.Sprint(p), "stack", trace())
		}
	}()
	if d, ok := g.Peer.(Departing); ok {
		d.AwaitDeparture(ctx)
	}
}

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

// warn records what is wrong with the log and has not been reported before. notice is what
// opening the log has to report, if anything.
func (e attachment) warn(notice string) error {
	if warnings := e.s.log.State().Damage(notice); len(warnings) > 0 {
		return e.s.log.Record("", warnings...)
	}
	return nil
}

// unread adds to the events of a create or resume the warning that names the settings that have no
// effect, unless the log has the same warning already.
func (e attachment) unread(cfg wire.Config, events []wire.Data) []wire.Data {
	return append(events, e.ignoring(cfg.Unread)...)
}

// ignoring returns the warning that names settings without an effect; nothing if there are none, or if
// the log has the same warning already.
func (e attachment) ignoring(u wire.Unread) []wire.Data {
	return e.warnOnce(u.Named())
}

// warnOnce returns the warning about settings of a client; nothing for "", or if the log has the same warning already.
func (e attachment) warnOnce(message string) []wire.Data {
	if message == "" || slices.Contains(e.s.log.State().SettingsIgnored, message) {
		return nil
	}
	return []wire.Data{&wire.SessionWarning{WarningType: state.WarningSettingsIgnored, Message: message}}
}

// Ignored records that settings of a client have no effect, in methods beside those that configure the
// session.
func (t Settings) Ignored(ctx context.Context, u wire.Unread) error {
	if u.Named() == "" {
		return nil
	}
	return t.s.log.Change(ctx, func() error {
		if events := attaching(t.s).ignoring(u); len(events) > 0 {
			return t.s.log.Record("", events...)
		}
		return nil
	})
}
