package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Settings is what clients choose for a session, as they read and change it. The part
// that the log keeps is [state.Settings].
type Settings struct{ s *Session }

// Settings returns the session's settings.
func (s *Session) Settings() Settings { return Settings{s} }

// SwitchModel makes later turns use another model. It is not checked against the
// provider's list: providers serve models that they do not list. The caller does that for p.RequireAvailable.
func (t Settings) SwitchModel(ctx context.Context, p wire.ModelSwitch) error {
	if p.ModelID == "" {
		return fault.New(fault.Invalid, "session.model.switchTo", t.s.id, "modelId is empty")
	}
	if p.AutoTier != nil && *p.AutoTier != nil {
		return fault.New(fault.Invalid, "session.model.switchTo", t.s.id, "autoTier is not supported: the tiers of the model \"auto\" are a choice of the GitHub service; leave it out")
	}
	return t.s.log.Change(ctx, func() error {
		if err := errors.Join(t.choosable("session.model.switchTo", p.ModelID), allows(t.s, p.ModelID)); err != nil {
			return err
		}
		event := &wire.SessionModelChange{
			NewModel: p.ModelID, PreviousModel: wire.Optional(t.s.log.State().Model), ReasoningEffort: p.ReasoningEffort,
			ReasoningSummary: p.ReasoningSummary, ContextTier: p.ContextTier,
		}
		if p.ReasoningEffort != nil {
			event.PreviousReasoningEffort = wire.Optional(t.s.log.State().ReasoningEffort)
		}
		if p.ModelCapabilities != nil {
			t.s.config.override = p.ModelCapabilities
		}
		if err := t.s.log.Record("", t.chosen(event)); err != nil {
			return err
		}
		t.s.permissions.GrantModel(p.ModelID)
		return nil
	})
}

// choosable is why the session cannot have a model, nil if it can.
func (t Settings) choosable(op, model string) error {
	providers := &t.s.config.providers
	return errors.Join(t.s.home.Models.CheckModel(model, providers.Remote, providers.Brings(model)), providers.Registered.CheckChoice(op, t.s.id, model))
}

// chosen is the event of a model that a user or a client has chosen. If no client brings its provider, it
// is one of the server.
func (t Settings) chosen(change *wire.SessionModelChange) wire.Data {
	return wire.WithField(change, wire.FieldProvidedBy, providedBy(t.s, t.s.config.providers.Brings(change.NewModel)))
}

// Model returns the model that the next turn uses, and how hard it is to think;
// each is empty if it was not chosen.
func (t Settings) Model(ctx context.Context) (model, effort string, err error) {
	now, err := mailbox.Ask(ctx, t.s.log.Do, func() ([2]string, error) { return [2]string{t.currentModel(), t.s.log.State().ReasoningEffort}, nil })
	return now[0], now[1], err
}

// SetReasoningEffort sets how much the model reasons from the next turn on. The provider
// decides whether the model knows that effort; it is not checked here.
func (t Settings) SetReasoningEffort(ctx context.Context, effort string) error {
	if effort == "" {
		return fault.New(fault.Invalid, "session.model.setReasoningEffort", t.s.id, "reasoningEffort is empty")
	}
	return t.s.log.Change(ctx, func() error {
		model := t.currentModel()
		if t.s.log.State().Model == "" { // the log names the model of this program from now on
			t.s.permissions.GrantModel(model)
		}
		return t.s.log.Record("", &wire.SessionModelChange{
			NewModel: model, PreviousModel: wire.Optional(model), ReasoningEffort: &effort, PreviousReasoningEffort: wire.Optional(t.s.log.State().ReasoningEffort),
		})
	})
}

// SetWorkingDirectory makes the session work in another directory, which must be
// there, and returns its absolute name. A relative one begins where the session
// works now. A run that is under way goes there with its next turn.
func (t Settings) SetWorkingDirectory(ctx context.Context, dir string) (at string, err error) {
	if at, err = t.folder(ctx, "session.metadata.setWorkingDirectory", dir); err != nil {
		return "", err
	}
	cfg, err := withGitChoice(ctx, t.s, wire.Config{})
	if err != nil {
		return "", err
	}
	to := t.s.home.Finder.Locate(cfg, at)
	err = t.s.log.Change(ctx, func() error {
		if at != t.s.log.State().Cwd {
			if err := t.move(moved(to)); err != nil {
				return err
			}
		}
		t.s.permissions.GrantFolder(at)
		return nil
	})
	t.s.permissions.Store()
	return at, err
}

// withGitChoice returns the settings with the session's choice whether git is asked about the working
// directory, if they do not have one.
func withGitChoice(ctx context.Context, s *Session, cfg wire.Config) (placed wire.Config, err error) {
	if cfg.GitOperations == nil {
		cfg.GitOperations, err = mailbox.Ask(ctx, s.log.Do, func() (*bool, error) { return s.config.git, nil })
	}
	return cfg, err
}

// folder returns the absolute name of a directory, which must be there. A relative one begins where
// the session works now.
func (t Settings) folder(ctx context.Context, op, dir string) (at string, err error) {
	if dir == "" {
		return "", fault.New(fault.Invalid, op, t.s.id, "workingDirectory is empty")
	}
	if at = filepath.Clean(dir); !filepath.IsAbs(dir) {
		cwd, err := mailbox.Ask(ctx, t.s.log.Change, func() (string, error) { return t.s.log.State().Cwd, nil })
		if err != nil {
			return "", err
		}
		at = filepath.Join(cwd, dir)
	}
	info, err := t.s.home.FS.Stat(at)
	switch {
	case err != nil:
		return "", fault.New(statKind(err), op, t.s.id, "the working directory: %w", err)
	case !info.IsDir():
		return "", fault.New(fault.Invalid, op, t.s.id, "%s is not a directory", at)
	}
	return at, nil
}

// moved is the event that records where a session works.
func moved(to wire.SessionContext) *wire.SessionContextChanged {
	return &wire.SessionContextChanged{
		Cwd: to.Cwd, GitRoot: wire.Optional(to.GitRoot), Repository: wire.Optional(to.Repository), Branch: wire.Optional(to.Branch),
	}
}

// RecordContext records what a client reports about the directory that the session
// works in, such as its branch. A report about another directory is ignored: only
// [Settings.SetWorkingDirectory] changes the directory.
func (t Settings) RecordContext(ctx context.Context, c *wire.SessionContextChanged) error {
	now := *c
	return t.s.log.Change(ctx, func() error {
		if now.Cwd != "" && filepath.Clean(now.Cwd) != filepath.Clean(t.s.log.State().Cwd) {
			return nil
		}
		now.Cwd = t.s.log.State().Cwd
		return t.move(&now)
	})
}

func (t Settings) move(c *wire.SessionContextChanged) error {
	if err := t.s.log.Record("", c); err != nil {
		return err
	}
	if t.s.log.State().Title != "" { // else the first message does it
		t.s.workspace.Note()
	}
	return nil
}

// Account returns the GitHub account that clients gave the session; nil if they gave none.
func (t Settings) Account(ctx context.Context) (*wire.Account, error) {
	return mailbox.Ask(ctx, t.s.log.Do, func() (*wire.Account, error) { return t.s.config.account, nil })
}

// SetAccount gives the session another GitHub account from the next model call on, with its
// token if that is known, which owner has brought. Like the token of a create, it is not stored.
func (t Settings) SetAccount(ctx context.Context, a wire.Account, token string, owner model.Owner) error {
	return t.s.log.Do(ctx, func() error {
		t.s.config.account = &a
		t.s.log.Secrets().Add(token)
		MCP(t.s).UseGitHubToken(token)
		if token != "" && t.s.config.providers.Own.Endpoint.Copilot {
			ep := &t.s.config.providers.Own.Endpoint
			ep.BearerToken, ep.Token, ep.Owner = token, nil, owner
		}
		return nil
	})
}

// RecordSteerable records whether a client says that the session can be steered from
// elsewhere.
func (t Settings) RecordSteerable(ctx context.Context, steerable bool) error {
	return t.s.log.Change(ctx, func() error { return t.s.log.Record("", &wire.SessionSteerable{RemoteSteerable: steerable}) })
}

// currentModel is the model that the next turn uses, "" if the provider chooses.
func (t Settings) currentModel() string {
	return cmp.Or(t.s.log.State().Model, t.s.config.providers.Own.Model)
}

// Provider returns where the session's calls of models without a named provider go.
func (t Settings) Provider(ctx context.Context) (provider.Provider, error) {
	return mailbox.Ask(ctx, t.s.log.Do, func() (provider.Provider, error) {
		p := t.s.config.providers.Own
		t.s.config.carrier.carry(&p.Endpoint, t.s.id, "")
		return p, nil
	})
}

// ProviderOf returns where the calls of a model go; of the session's own model, if the name is
// empty.
func (t Settings) ProviderOf(ctx context.Context, model string) (provider.Provider, error) {
	return mailbox.Ask(ctx, t.s.log.Do, func() (provider.Provider, error) {
		p, _ := t.s.providerOf(cmp.Or(model, t.s.log.State().Model))
		return p, nil
	})
}

// NamedModels returns the models of named providers, in the order of their registration.
func (t Settings) NamedModels(ctx context.Context) ([]wire.ProviderModel, error) {
	return mailbox.Ask(ctx, t.s.log.Do, func() ([]wire.ProviderModel, error) { return t.s.config.providers.Registered.Models(), nil })
}

// statKind is what a caller can do about a path that cannot be read.
func statKind(err error) fault.Kind {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.NotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EIO), errors.Is(err, syscall.EMFILE):
		return fault.Unavailable
	}
	return fault.Invalid
}

// Mode returns the mode that the session is in. A message can bring another for
// its own run.
func (t Settings) Mode(ctx context.Context) (wire.Mode, error) {
	return mailbox.Ask(ctx, t.s.log.Do, func() (wire.Mode, error) { return t.s.log.State().SessionMode(), nil })
}

// SetMode changes the mode, which is recorded: a session that is resumed is in it.
// Setting the one it is in records nothing. [fault.Invalid] for one that is none.
func (t Settings) SetMode(ctx context.Context, mode wire.Mode) error {
	if !slices.Contains(state.Modes, mode) {
		return fault.New(fault.Invalid, "session.mode.set", t.s.id, `mode is %q, want "interactive", "plan" or "autopilot"`, mode)
	}
	return t.s.log.Change(ctx, func() error {
		if mode == t.s.log.State().SessionMode() {
			return nil
		}
		return t.changeMode(mode)
	})
}

// SetModeFrom is [Settings.SetMode] if the session is in the mode expected. Otherwise it changes nothing and
// reports false.
func (t Settings) SetModeFrom(ctx context.Context, expected, mode wire.Mode) (applied bool, err error) {
	for _, m := range []wire.Mode{expected, mode} {
		if !slices.Contains(state.Modes, m) {
			return false, fault.New(fault.Invalid, "session.mode.set", t.s.id, `mode or expectedMode is %q, want "interactive", "plan" or "autopilot"`, fault.Bounded(string(m)))
		}
	}
	err = t.s.log.Change(ctx, func() error {
		if applied = t.s.log.State().SessionMode() == expected; !applied || mode == expected {
			return nil
		}
		return t.changeMode(mode)
	})
	return applied, err
}

// leavePlanMode changes the mode after a plan was approved.
func (t Settings) leavePlanMode(ctx context.Context, action string) error {
	mode := modeInteractive
	if action == modeAutopilot {
		mode = modeAutopilot
	}
	return t.s.log.Post(ctx, func() error { return t.changeMode(wire.Mode(mode)) })
}

// leaveAutopilot has a session that is opened again, and whose work does not go on, be in another mode than
// autopilot: in that one the agent works on without being asked, and the user who chose it may have left long ago.
// With ofMessage it also leaves that of the last message: for a user interface, which sends its messages in the mode
// in force, and in a session from elsewhere, whose log chooses no autopilot.
func (t Settings) leaveAutopilot(ofMessage bool) error {
	switch mode := t.s.log.State().SessionMode(); {
	case mode == modeAutopilot:
		return t.changeMode(modeInteractive)
	case ofMessage && t.s.log.State().ModeNow() == modeAutopilot: // of the last message alone
		return t.changeMode(mode)
	}
	return nil
}

// changeMode records another mode, if it is another than that in force, or than that
// of the session.
func (t Settings) changeMode(mode wire.Mode) error {
	before := wire.Mode(t.s.log.State().ModeNow())
	if before == mode && t.s.log.State().SessionMode() == mode {
		return nil
	}
	return t.s.log.Record("", &wire.SessionModeChanged{PreviousMode: before, NewMode: mode})
}

// Name is what the session is called: the name that it was given, else the first
// line of its first message, else "".
func (t Settings) Name(ctx context.Context) (string, error) {
	return mailbox.Ask(ctx, t.s.log.Do, func() (string, error) { return t.s.log.State().Label(), nil })
}

// SetName gives the session the name that the user chose. [fault.Invalid] if it is
// blank or longer than 100 characters.
func (t Settings) SetName(ctx context.Context, name string) error {
	name = strings.TrimSpace(name)
	if err := wire.CheckName(name); err != nil {
		return fault.New(fault.Invalid, "session.name.set", t.s.id, "%w", err)
	}
	return t.s.log.Change(ctx, func() error { return t.rename(wire.SessionName{Name: name, User: true}) })
}

// named gives the session the name that a client sends with its configuration, as [Settings.SetName] does.
func (e attachment) named(cfg wire.Config) error {
	if cfg.Name == nil {
		return nil
	}
	name := strings.TrimSpace(*cfg.Name)
	if now := e.s.log.State().Name; now.User && now.Name == name {
		return nil
	}
	return e.s.Settings().rename(wire.SessionName{Name: name, User: true})
}

// SetAutoName gives the session a name that was made from its conversation, cut to
// 100 characters, unless the user has chosen one or the new one is blank. It
// reports whether it did.
func (t Settings) SetAutoName(ctx context.Context, name string) (applied bool, err error) {
	name = strings.TrimSpace(name)
	if runes := []rune(name); len(runes) > wire.MaxName {
		name = strings.TrimSpace(string(runes[:wire.MaxName-1])) + "…"
	}
	return mailbox.Ask(ctx, t.s.log.Change, func() (bool, error) {
		if name == "" || t.s.log.State().Name.User {
			return false, nil
		}
		err := t.rename(wire.SessionName{Name: name})
		return err == nil, err
	})
}

func (t Settings) rename(n wire.SessionName) error {
	if err := t.s.log.Record("", wire.NamedEvent(n)); err != nil {
		return err
	}
	t.s.workspace.Note()
	t.s.log.Emit("", &wire.SessionTitleChanged{Title: n.Name})
	return nil
}

// choiceOf is the model of the session as it is chosen now. It is called on the session's
// goroutine.
func choiceOf(s *Session) provider.Choice {
	p, caps := s.providerOf(s.log.State().Model)
	s.config.carrier.carry(&p.Endpoint, s.id, "")
	c := provider.Choice{Provider: p, Model: s.log.State().Model, Override: cmp.Or(s.config.override, caps), Remote: s.config.providers.Remote, Situate: situate(s, ""), Allows: allowing(s)}
	if s.config.resumed && s.log.State().Main.OpenExtension() != "" {
		c.Model = s.log.State().Main.OpenExtension() // it asked the question; the client that resumed may have named another model
	}
	c.Refused = unchosen(s, c.Model)
	return c
}

// Window returns how many tokens the prompt of the next turn may have, with the given
// model, and where that is known from; "" is the session's. It may ask the provider for its list of models. A provider that
// does not answer, or does not know the model, has the limit of most models.
func (t Settings) Window(ctx context.Context, model string) (provider.PromptWindow, error) {
	e, _, err := t.resolved(ctx, model) // the zero value if no message could be sent
	if err != nil {
		return provider.PromptWindow{}, err
	}
	w := e.Limit(e.Model)
	if w.Tokens == 0 {
		w = provider.PromptWindow{Tokens: provider.DefaultContextTokens, Source: provider.WindowAssumed}
	}
	return w, ctx.Err()
}

// Destination is where the next message of a session goes.
type Destination struct {
	// Model is the name of the model, "" if none is chosen; Address is where it is, without user and query, "" for an agent.
	Model, Address string
	// Window is how long a prompt may be.
	Window provider.PromptWindow
	// Sight is what the model reads besides text, and Priced says whether it is known what its tokens cost.
	Sight  prompt.Sight
	Priced bool
	// Missing is why no message can be sent, nil if one can.
	Missing error
}

// Destination returns where the next message goes. It may ask the provider, as [Settings.Window].
func (t Settings) Destination(ctx context.Context) (Destination, error) {
	e, failed, err := t.resolved(ctx, "")
	if err != nil || failed != nil {
		return Destination{Missing: failed}, err
	}
	return Destination{Model: e.Model, Address: model.PublicAddress(e.At.BaseURL), Window: e.Limit(e.Model), Sight: e.Sight(), Priced: e.Price(e.Model) != nil}, ctx.Err()
}

// resolved finds out where a message would go. failed is why it would go nowhere.
func (t Settings) resolved(ctx context.Context, name string) (e provider.Endpoint, failed, err error) {
	c, err := mailbox.Ask(ctx, t.s.log.Do, func() (provider.Choice, error) { return t.s.newRun(wire.Send{}).choice, nil })
	if err != nil {
		return e, nil, err
	}
	c.Model, c.Patient = cmp.Or(name, c.Model), true
	e, failed = t.s.home.Models.Resolve(ctx, c)
	if name != "" || failed != nil {
		return e, failed, nil
	}
	return e, nil, t.noteToolSet(ctx, &e)
}
