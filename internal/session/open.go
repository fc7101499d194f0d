package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/canvas"
	"github.com/sidestick-dev/sidestick/internal/session/clienttools"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/files"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/journal"
	"github.com/sidestick-dev/sidestick/internal/session/metrics"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/usershell"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Create makes a session of the id cfg.SessionID with a new log and attaches its first client. peer calls that
// client; nil: it cannot be called. cfg is what [Home.Check] returned. [ErrTaken], a [fault.Conflict], if there is
// such a session; [fault.Invalid] if it cannot be the id of one or the configuration contradicts itself. An error
// leaves nothing behind.
func Create(ctx context.Context, home *Home, at Storage, cfg wire.Config, peer Peer) (*Session, *Client, error) {
	var stream eventlog.Stream
	err := journal.Guard(home.Logger, cfg.SessionID, func() (err error) { stream, err = at.Log.Create(ctx, cfg.SessionID); return err })
	if fault.KindOf(err) == fault.Conflict {
		err = Taken(cfg.SessionID) // it is on disk and not open
	}
	if err != nil {
		return nil, nil, err
	}
	s := start(home, cfg.SessionID, stream, at)
	var c *Client
	if err := s.log.Guard(func() (err error) { c, err = attaching(s).begin(cfg, peer); return err }); err != nil {
		s.abandon()
		return nil, nil, errors.Join(err, stream.Close(), at.Log.Delete(context.WithoutCancel(ctx), cfg.SessionID))
	}
	_ = s.log.Guard(s.log.Release) // the next command reports a deletion
	MCP(s).Configure(cfg, s.agents.Main())
	s.begin()
	return s, c, nil
}

// ErrTaken is why the id of a new session is refused that another session has.
var ErrTaken = errors.New("a session with this id exists")

// Taken returns the error of a caller who wants to create a session that there is already.
func Taken(id string) error {
	return &fault.Error{Op: "session.create", On: id, Kind: fault.Conflict, Hint: "resume it, or choose another id", Err: ErrTaken}
}

// Open opens a session from its log and attaches its first client; the rest is as for [Create]. It continues what
// an earlier process left open if cfg asks for that. [fault.NotFound] if there is no such session.
func Open(ctx context.Context, home *Home, at Storage, cfg wire.Config, peer Peer) (*Session, *Client, error) {
	var stream eventlog.Stream
	err := journal.Guard(home.Logger, cfg.SessionID, func() (err error) { stream, err = at.Log.Open(ctx, cfg.SessionID); return err })
	if fault.KindOf(err) == fault.NotFound {
		err = wire.SessionNotFound(cfg.SessionID)
	}
	if err != nil {
		return nil, nil, err
	}
	s := start(home, cfg.SessionID, stream, at)
	var c *Client
	goesOn := false
	if err := s.log.Guard(func() (err error) { c, goesOn, err = attaching(s).reopen(cfg, peer, stream.Notice()); return err }); err != nil {
		s.abandon()
		return nil, nil, errors.Join(err, stream.Close())
	}
	MCP(s).Configure(cfg, s.agents.Main())
	switch {
	case goesOn: // its message comes before those that wait
		s.agents.GoesOn()
		s.launch(queue.Message{}, "")
	case s.config.resumed: // continue the calls that an earlier process left open
		s.agents.GoesOn()
		s.requests.Expect()
		s.tools.external.Expect(s.log.State().Main.External)
		s.launch(queue.Message{}, "")
	case cfg.ContinuePendingWork: // and with what it had accepted
		s.queue.Drain()
	}
	_ = s.log.Guard(s.log.Release) // the next command reports a deletion
	s.begin()
	return s, c, nil
}

// Join attaches one more client to the session. replacing is the earlier attachment of the same client, which
// ends, or nil. kept is where the client keeps sessions, nil for nowhere. An error for which [Gone] holds says
// that the session is leaving memory. If ctx ends early, the client is not attached.
func (s *Session) Join(ctx context.Context, kept *clientfs.Storage, cfg wire.Config, peer Peer, replacing *Client) (*Client, error) {
	if s.storage.forsaken() {
		return nil, s.log.Gone()
	}
	if err := s.storage.admits(kept); err != nil {
		return nil, err
	}
	return attaching(s).join(ctx, cfg, peer, replacing)
}

// Gone reports whether an error of [Open] or [Session.Join] says that there is no such session, in storage or in
// memory. The error of a configuration that a session refuses does not, whatever its kind.
func Gone(err error) bool {
	return fault.KindOf(err) == fault.NotFound && !errors.As(err, new(refusal))
}

// abandon ends a session that could not be opened and has no goroutine.
func (s *Session) abandon() {
	s.dropAll()
	s.log.ForgetClaim()
	for _, tail := range s.life.observed {
		tail.Close()
	}
	s.log.Mail().Close()
}

// start makes a session around an open stream.
func start(home *Home, id string, stream eventlog.Stream, at Storage) *Session {
	s := &Session{
		id: id, home: home, storage: storage{dir: at.Dir, kept: at.Kept},
	}
	s.log = journal.New(stream, journal.Options{
		ID: id, Host: logHost{s}, Secrets: home.Redactor.Child(), Logger: home.Logger.With("session", id), Running: home.Registrar,
		StartID: func(started, cwd string) (string, error) { return home.Grants.StartID(id, started, cwd) },
	})
	s.storage.s, s.tools.s, s.life.s = s, s, s
	on := recorder{s.log, s}
	s.tools.user = usershell.New(usershell.Options{Session: shellHost{on}, ID: id, FS: home.FS, Logs: s.log.Logger()})
	s.tools.external = clienttools.New(callHost{on}, id)
	s.tools.servers = servers.New(serverHost{on}, id, &home.MCP)
	s.config.canvases = canvas.New(on, id)
	s.queue = queue.New(queueHost{on}, id, s.log.Logger())
	s.compact = compact.New(compactHost{on}, id, "", s.log.Logger())
	s.metrics = metrics.New(metricsHost{on})
	s.workspace = files.New(files.Options{Session: on, ID: id, Files: workspace.New(id, at.Files.Files(id)), Kept: at.Kept, Logger: s.log.Logger()})
	h := approvalHost{on}
	s.permissions, s.requests = approval.New(approval.Options{
		Session: h, ID: id, Dir: s.storage.dir, Plan: strings.Clone(filepath.Base(s.storage.planForTools())), Start: home.Cwd, Elsewhere: func(model string) string { return elsewhereOf(s, model) }, Rules: &home.Rules, Grants: home.Grants, Paths: home.Paths, Logger: s.log.Logger(),
		Sandbox: home.Sandbox,
		Brought: func(ctx context.Context) (folders, linked []string) { return brought(ctx, s) },
		Project: func(ctx context.Context) approval.Project { return peerRules(ctx, s) },
	})
	s.questions = approval.NewQuestions(h, h, id)
	s.hooks = hook.New(hook.Options{Session: hookHost{s}, SessionID: id, Transcript: s.storage.path("events.jsonl"), Files: home.HookFiles, Logger: s.log.Logger(), Sandbox: hookHost{s}.sandbox})
	s.discovery = discovery.New(home.Finder, discoveryHost{s}, id)
	s.command = command.New(commandHost{on}, id, s.discovery)
	s.agents = agents.New(agents.Options{
		Session: agentHost{on}, ID: id, Files: s.discovery, Limits: home.Subagents, Models: home.AgentModels, Logger: s.log.Logger(),
	})
	for range home.Observe {
		s.life.observed = append(s.life.observed, s.log.Tail(s.log.Len()))
	}
	return s
}

// Check refuses configurations that this runtime cannot honour or that contradict themselves, and returns them
// with the values of fields that say the same in another way. It reads the recording that they name.
func (h *Home) Check(cfg wire.Config) (wire.Config, error) {
	if on := cfg.Summaries; on != nil && cfg.ReasoningSummary == "" {
		cfg.ReasoningSummary = map[bool]string{true: "auto", false: "none"}[*on]
	}
	cfg, err := provider.OpenRecording(cfg, h.FS, h.Redactor)
	if err == nil {
		err = h.contradiction(cfg)
	}
	if err != nil {
		return cfg, h.withoutSecrets(cfg, err)
	}
	return cfg, nil
}

// contradiction is why a configuration is refused; nil if it is not.
func (h *Home) contradiction(cfg wire.Config) error {
	invalid := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "session", cfg.SessionID, format, args...)
	}
	if s := cfg.Unread.Refused; s != nil {
		return invalid("%s is not supported: %s", s.Field, s.Why)
	}
	if len(cfg.InstalledPlugins) > 0 {
		return invalid("installedPlugins is not supported, but for an empty list: the user's plugins would stay installed; name folders in pluginDirectories")
	}
	if err := cfg.CheckValues(invalid); err != nil {
		return err
	}
	if cfg.Name != nil {
		if err := wire.CheckName(strings.TrimSpace(*cfg.Name)); err != nil {
			return invalid("name: %w", err)
		}
	}
	if err := clienttools.Check(cfg.Tools); err != nil {
		return invalid("%w", err)
	}
	if cfg.Provider != nil && (len(cfg.Providers) > 0 || len(cfg.Models) > 0) {
		return invalid("provider cannot be combined with providers and models; give one or the other")
	}
	if err := (provider.Registered{}).Check(cfg.Providers, cfg.Models, invalid); err != nil {
		return err
	}
	if p := cfg.PendingPermissions; p != "" && p != "deny" && p != "wait" {
		return invalid(`pendingPermissions is %q, want "deny" or "wait"`, p)
	}
	if err := servers.CheckSignIn(cfg, invalid); err != nil {
		return err
	}
	if _, err := managed(cfg); err != nil {
		return invalid("managedSettings: %w", err)
	}
	if err := canvas.Check(cfg.Canvases); err != nil {
		return invalid("%w", err)
	}
	switch {
	case cfg.AskUserVariant != "" && cfg.AskUserVariant != variantLegacy && cfg.AskUserVariant != variantElicitation:
		return invalid("askUserVariant is %q, want %q or %q", fault.Bounded(cfg.AskUserVariant), variantLegacy, variantElicitation)
	case cfg.AskUserVariant == variantElicitation && !is(cfg.RequestElicitation):
		return invalid("askUserVariant %q needs requestElicitation", variantElicitation)
	}
	if err := command.Check(cfg.Commands); err != nil {
		return invalid("%w", err)
	}
	if err := h.checkModels(cfg, invalid); err != nil {
		return err
	}
	return provider.Check(cfg.Provider, cfg.Remote, invalid)
}

// checkModels is why a model that a configuration names cannot be one; nil if all can.
func (h *Home) checkModels(cfg wire.Config, invalid func(format string, args ...any) error) error {
	if err := h.Models.CheckModel(cfg.Model, cfg.Remote, cfg.Provider != nil); err != nil {
		return invalid("%w", err)
	}
	for _, name := range cfg.FallbackModels {
		if err := h.Models.CheckModel(name, cfg.Remote, false); err != nil {
			return invalid("fallbackModels: %w", err)
		}
	}
	return provider.CheckFallback(cfg.FallbackModels, invalid)
}
