package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// newClient makes a client that sees the events after the record at after. It is not
// attached yet.
func (e attachment) newClient(cfg wire.Config, peer Peer, after uint64) *Client {
	c := &Client{
		s: e.s, peer: guardPeer(peer, e.s.log.Logger()), abilities: abilitiesOf(cfg), decides: is(cfg.RequestPermission), hooks: is(cfg.Hooks),
		transforms: transforms(cfg.SystemMessage), muted: cfg.SubagentDeltas != nil && !*cfg.SubagentDeltas,
		name: cfg.ClientName, by: cfg.By, join: wire.NewID(),
	}
	c.tools = e.s.tools.external.Bring(asked{c}, cfg.Tools)
	c.managed, _ = managed(cfg) // it was checked
	c.commands = command.Named(cfg.Commands)
	c.tail = e.s.log.Tail(after)
	return c
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
	e.s.clients = append(e.s.clients, c)
	e.s.tools.external.Join(c.tools)
	e.manage()
	e.s.callHooksOfClient()
	audience(e).announce(c)
}

// ask has a client asked for the tokens of the provider that it brings, and keeps the secrets of its
// providers out of the log.
func (e attachment) ask(c *Client, cfg wire.Config) {
	if cfg.Provider != nil {
		e.s.config.providers.Own.Endpoint.Token = tokenSource(e.s, c, defaultProviderName, cfg.Provider.HasTokenSource)
	}
	e.s.home.Models.AddSecrets(cfg, e.s.log.Secrets()) // the process knows its own
}
