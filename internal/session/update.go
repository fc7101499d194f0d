package session

import (
	"cmp"
	"context"

	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Update changes settings of the session, for session.options.update. They are checked and take
// effect as those of a resume do; absent ones stay. A request that is refused changes nothing.
//
// A run that is under way follows with its next model call. The settings that have no effect are
// named in a warning; [fault.Invalid] for those that must not be ignored.
func (c *Client) Update(ctx context.Context, p wire.OptionsPatch) error {
	s, cfg := c.s, p.Config
	cfg.SessionID = s.id
	cfg, err := s.home.Check(cfg)
	if err != nil {
		return err
	}
	if cfg.WorkingDirectory != "" {
		if cfg.WorkingDirectory, err = s.Settings().folder(ctx, "session.options.update", cfg.WorkingDirectory); err != nil {
			return err
		}
	}
	placed, err := withGitChoice(ctx, s, cfg)
	if err != nil {
		return err
	}
	at, err := s.home.place(placed, s.log.Cwd())
	if err != nil {
		return err
	}
	running, err := mailbox.Ask(ctx, s.log.Change, func() (bool, error) { return s.run != nil, attaching(s).update(c, cfg, at) })
	if err == nil && at.sandbox != nil { // after everything that can refuse; it reads which sandboxes work
		err = s.permissions.UseSandbox(ctx, at.sandbox.Settings)
	}
	if err == nil && running { // it goes on with what it finds now
		err = s.look(ctx, s.discovery.SearchAgain)
	}
	return err
}

// update is [Client.Update] on the session's goroutine.
func (e attachment) update(c *Client, cfg wire.Config, at place) error {
	agents, err := e.check(cfg, nil)
	if err != nil {
		return err
	}
	filter, absent := e.s.config.filter, e.absent(cfg, at)
	if cfg.AvailableTools == nil {
		cfg.AvailableTools = filter.Available
	}
	if cfg.ExcludedTools == nil {
		cfg.ExcludedTools = filter.Excluded
	}
	if cfg.FilterPrecedence == "" && filter.ExcludedWins {
		cfg.FilterPrecedence = wire.PrecedenceExcluded
	}
	cfg.ClientName = cmp.Or(cfg.ClientName, e.s.config.providers.ClientName)
	if events := append(e.changes(cfg, at), absent...); len(events) > 0 {
		if err := e.s.log.Record("", events...); err != nil {
			return err
		}
	}
	e.choose(cfg, at)
	e.configure(cfg, agents, at)
	if w := cfg.Capi.WebSockets; w != nil && cfg.Provider == nil {
		e.s.config.providers.Own.NoWebSockets = !*w
	}
	if cfg.Provider == nil {
		e.s.config.providers.ClientName, e.s.config.providers.Own.Endpoint.UserAgent = cfg.ClientName, provider.UserAgent(e.s.home.Version, cfg.ClientName)
	}
	if cfg.Streaming != nil {
		c.whole.Store(!*cfg.Streaming)
	}
	MCP(e.s).Reconfigure(cfg, agents.Main)
	e.ask(c, cfg)
	return nil
}

// changes are the events that record what an update changes.
func (e attachment) changes(cfg wire.Config, at place) (events []wire.Data) {
	now := e.s.log.State()
	if to := at.context; (cfg.WorkingDirectory != "" || cfg.GitOperations != nil) && (to.Cwd != now.Cwd || to.GitRoot != now.GitRoot) {
		events = append(events, moved(to))
	}
	model, effort, reasoning := cmp.Or(cfg.Model, now.Model), cmp.Or(cfg.ReasoningEffort, now.ReasoningEffort), cmp.Or(cfg.ReasoningSummary, now.ReasoningSummary)
	by := e.providedBy(cfg)
	if by != nil || model != now.Model || effort != now.ReasoningEffort || reasoning != now.ReasoningSummary {
		if cfg.Provider == nil { // else that names a model, if the client has chosen none
			model = cmp.Or(model, e.s.Settings().currentModel())
		}
		change := &wire.SessionModelChange{
			NewModel: model, PreviousModel: wire.Optional(now.Model),
			ReasoningEffort: wire.Optional(cfg.ReasoningEffort), ReasoningSummary: summary(cfg.ReasoningSummary),
		}
		if cfg.ReasoningEffort != "" {
			change.PreviousReasoningEffort = wire.Optional(now.ReasoningEffort)
		}
		events = append(events, wire.WithField(change, wire.FieldProvidedBy, by))
	}
	if l := cfg.SessionLimits; l != nil {
		events = append(events, ledger.CreditsChanged(l.MaxAICredits))
	}
	events = append(events, e.skipping(cfg)...)
	return e.unread(cfg, at.with(events...))
}
