package server

import (
	"context"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// getMode answers with the mode alone, as a string.
func getMode(ctx context.Context, s *session.Session, _ named) (any, error) {
	return s.Settings().Mode(ctx)
}

// setMode changes only the mode. Its parameters about models for plans are for runtimes
// that switch the model with the mode.
func setMode(ctx context.Context, s *session.Session, p wire.ModeSet) (any, error) {
	if p.ExpectedMode == nil {
		return wire.ModeSetResult{Status: "applied"}, s.Settings().SetMode(ctx, p.Mode)
	}
	applied, err := s.Settings().SetModeFrom(ctx, *p.ExpectedMode, p.Mode)
	if !applied && err == nil {
		return wire.ModeSetResult{Status: "unchanged"}, nil
	}
	return wire.ModeSetResult{Status: "applied"}, err
}

func getName(ctx context.Context, s *session.Session, _ named) (any, error) {
	name, err := s.Settings().Name(ctx)
	if name == "" {
		return wire.NameGot{}, err
	}
	return wire.NameGot{Name: &name}, err
}

func setName(ctx context.Context, s *session.Session, p wire.NameSet) (any, error) {
	return none{}, s.Settings().SetName(ctx, p.Name)
}

func setAutoName(ctx context.Context, s *session.Session, p wire.NameSetAuto) (any, error) {
	applied, err := s.Settings().SetAutoName(ctx, p.Summary)
	return wire.NameSetAutoResult{Applied: applied}, err
}

func currentModel(ctx context.Context, s *session.Session, _ named) (any, error) {
	model, effort, err := s.Settings().Model(ctx)
	current := wire.CurrentModel{}
	if model != "" {
		current.ModelID = &model
	}
	if effort != "" {
		current.ReasoningEffort = &effort
	}
	return current, err
}

func listSessionModels(ctx context.Context, c *conn, a *attachment, _ named) (any, error) {
	infos, err := c.sessionModels(ctx, a)
	if err != nil {
		return nil, err
	}
	list := wire.SessionModels{}
	for _, info := range infos {
		list.List = append(list.List, info)
	}
	return encode(list)
}

// sessionModels lists the models of named providers, then those of the session's provider.
// If there are named ones, the list of the other provider may be missing.
func (c *conn) sessionModels(ctx context.Context, a *attachment) ([]wire.ModelInfo, error) {
	p, err := a.client.Session().Settings().Provider(ctx)
	if err != nil {
		return nil, err
	}
	current, _, err := a.client.Session().Settings().Model(ctx)
	if err != nil {
		return nil, err
	}
	registered, err := a.client.Session().Settings().NamedModels(ctx)
	if err != nil {
		return nil, err
	}
	list := namedModels(registered)
	infos, err := c.models(ctx, p, current)
	if err != nil && len(registered) == 0 {
		return nil, err
	}
	if err != nil {
		c.srv.opts.Logger.Info("the provider beside the named ones does not list its models", "err", err)
	}
	for _, info := range infos {
		list = append(list, modelInfo(info))
	}
	return list, nil
}

// checkAvailable fails unless the session's list of models has the model, and no policy disables it.
func (c *conn) checkAvailable(ctx context.Context, a *attachment, id string) error {
	const hint = "choose one of session.model.list, or leave out requireAvailable"
	on := a.client.Session().ID()
	list, err := c.sessionModels(ctx, a)
	if err != nil {
		return &fault.Error{
			Op: "session.model.switchTo", On: on, Kind: fault.Unavailable, Hint: hint,
			Err: fmt.Errorf("requireAvailable is set, and the models that are available cannot be listed: %w", err),
		}
	}
	i := slices.IndexFunc(list, func(m wire.ModelInfo) bool { return m.ID == id })
	switch {
	case i < 0:
		err = fmt.Errorf("the model %q is not in the list of available models", fault.Bounded(id))
	case list[i].Policy != nil && list[i].Policy.State == "disabled":
		err = fmt.Errorf("the policy of the account disables the model %q", fault.Bounded(id))
	default:
		return nil
	}
	return &fault.Error{Op: "session.model.switchTo", On: on, Kind: fault.NotFound, Hint: hint, Err: err}
}

// models lists the models of a provider. If the current model is an agent, which no
// provider lists, it comes first, and then the provider may be missing or fail.
func (c *conn) models(ctx context.Context, p provider.Provider, current string) ([]model.Info, error) {
	address, isAgent := extensions.Address(current)
	p = p.Located(ctx)
	if p.Endpoint.Dialect == extensions.Name || !isAgent {
		if p.Missing != nil {
			return nil, p.Missing
		}
		list, err := c.srv.opts.Models.Models(ctx, p.Endpoint)
		return c.completed(p, list), err
	}
	list := []model.Info{extensions.Info(address)}
	if p.Missing != nil {
		return list, nil
	}
	others, err := c.srv.opts.Models.Models(ctx, p.Endpoint)
	if err != nil {
		c.srv.opts.Logger.Info("the provider beside the agent does not list its models", "err", err)
	}
	return append(list, c.completed(p, others)...), nil
}

func setReasoningEffort(ctx context.Context, s *session.Session, p wire.EffortSet) (any, error) {
	return wire.EffortSetResult(p), s.Settings().SetReasoningEffort(ctx, p.ReasoningEffort)
}

func setAllowedModels(ctx context.Context, s *session.Session, p wire.AllowedModels) (any, error) {
	model, err := s.Settings().SetAllowedModels(ctx, p.AllowedModels)
	return wire.AllowedModelsSet{AllowedModels: p.AllowedModels, EffectiveAllowedModels: p.AllowedModels, ModelID: wire.Optional(model)}, err
}

func clearContext(ctx context.Context, s *session.Session, p wire.ClearContext) (any, error) {
	cleared, err := s.History().Clear(ctx, p.Prompt)
	return wire.ContextClearResult{MessagesCleared: cleared}, err
}

func truncate(ctx context.Context, s *session.Session, p wire.Truncate) (any, error) {
	if p.EventID == "" {
		return nil, missing("eventId")
	}
	removed, err := s.History().Truncate(ctx, p.EventID)
	return wire.Truncated{EventsRemoved: removed}, err
}

// suspendSession takes a session out of memory for all its clients. Requests that it waits for
// are canceled, and a resume continues the conversation.
func suspendSession(ctx context.Context, s *session.Session, _ named) (any, error) {
	return none{}, s.Close(ctx)
}

// shutdownSession closes the session for all clients, as session.destroy does; the
// client still receives its last events.
func shutdownSession(ctx context.Context, s *session.Session, p wire.ShutdownParams) (any, error) {
	var kind wire.ShutdownType
	var reason string
	if p.Type != nil {
		kind = *p.Type
	}
	if p.Reason != nil {
		reason = *p.Reason
	}
	return none{}, s.Shutdown(ctx, kind, reason)
}

// usageMetrics answers with the usage since this process opened the session.
func usageMetrics(ctx context.Context, s *session.Session, _ named) (any, error) {
	m, err := s.Metrics().Usage(ctx)
	if err != nil {
		return nil, err
	}
	return encode(m)
}

// tooSmall returns the error for a number below its least value.
func tooSmall(name string, n, least int64) error {
	return fault.New(fault.Invalid, "", "", "%s is %d, want %d or more", name, n, least)
}

// initializeLanguageServers has nothing to do, because this program starts no language servers. A warning says so,
// because the client may have meant the configuration of one.
func initializeLanguageServers(ctx context.Context, s *session.Session, _ named) (any, error) {
	level, kind, ephemeral := wire.LogWarning, "language_servers", true
	_, err := s.Log(ctx, wire.LogEntry{
		Level: &level, Type: &kind, Ephemeral: &ephemeral,
		Message: "session.lsp.initialize has no effect: no language servers are started. Offer one to the model as an MCP server.",
	})
	return none{}, err
}
