package entry

import (
	"context"
	"errors"
	"os"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Open creates the session, or resumes the one that the settings name, in the mode of the settings, and applies
// the approvals that were saved for its location. notes are for the user: that the session is new, although the settings name it,
// and that the approvals could not be applied.
func (r *Runtime) Open(ctx context.Context, s *Settings) (c *session.Client, notes []string, err error) {
	c, created, err := r.enter(ctx, s)
	if err != nil {
		return nil, nil, r.withAgents(&s.Choices, err)
	}
	if err := r.payable(ctx, c.Session()); err != nil {
		if created || !s.MustExist() && s.ID == "" { // nothing was said in it
			err = errors.Join(err, r.Parts.Sessions.Delete(context.WithoutCancel(ctx), c.Session().ID()))
		}
		return nil, nil, err
	}
	if created { // the id may be mistyped
		notes = append(notes, "there was no session "+c.Session().ID()+", so it was created")
	}
	if err := keepMode(ctx, c, s.Mode()); err != nil {
		return nil, nil, err
	}
	_, err = c.Session().Permissions().ApplyLocation(ctx, "")
	if err != nil && fault.KindOf(err) != fault.NotFound { // without a working directory, there is nothing to apply
		notes = append(notes, "the approvals for this location could not be applied: "+cli.Message(err))
	}
	return c, notes, nil
}

// keepMode has the session be in the mode of the flags, so that it is in it also when it is continued. Autopilot is
// for the messages of this command alone: no session that is continued is in it.
func keepMode(ctx context.Context, c *session.Client, mode string) error {
	if mode == "" || mode == "autopilot" {
		return nil
	}
	return c.Session().Settings().SetMode(ctx, wire.Mode(mode))
}

// enter opens a session. created says that the settings name it, and that it did not exist.
func (r *Runtime) enter(ctx context.Context, s *Settings) (c *session.Client, created bool, err error) {
	p := r.Parts
	cfg := r.config(s)
	if err := r.apply(&s.Choices, &cfg); err != nil {
		return nil, false, err
	}
	id, err := r.Choose(ctx, s)
	if err != nil {
		return nil, false, err
	}
	fresh := cfg
	fresh.TrackFiles = new(true) // so that /undo and /rewind can restore files
	fresh.ReasoningEffort = p.Config.Effort.Value
	if cfg.SessionID = id; id == "" {
		c, err = p.Sessions.Create(ctx, fresh, r.Peer)
		return c, false, err
	}
	fresh.SessionID = id
	known, err := p.Sessions.Metadata(ctx, id)
	if err != nil {
		return nil, false, err
	}
	if known != nil {
		if err := r.consent(ctx, s, id, &cfg); err != nil {
			return nil, false, err
		}
		c, err = p.Sessions.Resume(ctx, cfg, r.Peer, nil)
		return c, false, inUse(err, known)
	}
	if err := wiring.CheckNewID(id); err != nil {
		return nil, false, err
	}
	c, err = p.Sessions.Create(ctx, fresh, r.Peer)
	return c, true, err
}

// config is how the terminal enters a session. Without a terminal to ask at, the session denies at
// once instead of waiting.
func (r *Runtime) config(s *Settings) wire.Config {
	yes, asks, limits := true, r.Terminal != nil, r.Parts.Config.Budget
	var plugins []string
	for _, folder := range s.Plugins { // the session may have another working directory
		plugins = append(plugins, cli.Absolute(folder))
	}
	return wire.Config{
		ClientName: "sidestick-terminal", Model: r.Options.Flags.Model, ServerModel: true, ReasoningEffort: r.Options.Flags.Effort, Streaming: &yes,
		RequestPermission: &asks, RequestUserInput: &asks, RequestExitPlan: &asks,
		RequestElicitation: &asks, RequestSwitch: &asks, EnableConfigDiscovery: &yes, TokenStorage: servers.TokensPersistent,
		ContinuePendingWork: s.Unfinished && asks, HoldPendingWork: true, PluginDirectories: plugins,
		Budget: &wire.Budget{MaxTurns: limits.Turns.Value, MaxTokens: int64(limits.Tokens.Value), TimeoutMs: limits.Time.Value.Milliseconds()},
	}
}

// Choose returns the id of the session that the settings name, "" for a new one.
func (r *Runtime) Choose(ctx context.Context, s *Settings) (string, error) {
	switch {
	case s.Continue:
		return r.newestHere(ctx)
	case s.Resume != "" || s.ID != "":
		if err := wiring.CheckID(s.Resume + s.ID); err != nil || s.Resume == "" {
			return s.ID, err
		}
		return wiring.ChooseSession(ctx, r.Parts.Sessions, s.Resume)
	}
	return s.ID, nil
}

// newestHere is the id of the session in the working directory that was changed last.
func (r *Runtime) newestHere(ctx context.Context) (string, error) {
	list, err := r.Here(ctx)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", &fault.Error{
			Op: "sessions", On: cli.Absolute("."), Kind: fault.NotFound, Hint: "leave out --continue to start one; sidestick sessions list shows all",
			Err: errors.New("there is no session in this folder yet"),
		}
	}
	return list[0].SessionID, nil
}

// Here lists the sessions of the working directory, the last changed first.
func (r *Runtime) Here(ctx context.Context) ([]wire.SessionMetadata, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return r.Parts.Sessions.List(ctx, wire.SessionContext{Cwd: cwd})
}
