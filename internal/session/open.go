package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/canvas"
	"github.com/sidestick-dev/sidestick/internal/session/clienttools"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/journal"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/metrics"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/usershell"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Create starts a session and attaches its first client. peer calls that client; nil: it
// cannot be called. An empty cfg.SessionID gets a fresh one. [fault.Conflict] if the id is
// taken, [fault.Invalid] if it cannot be one or the configuration contradicts itself.
func (r *Registry) Create(ctx context.Context, cfg wire.Config, peer Peer) (*Client, error) {
	if cfg.SessionID == "" {
		cfg.SessionID = wire.NewSessionID()
	}
	cfg, err := r.accept(cfg)
	if err != nil {
		return nil, err
	}
	sl, mine, err := r.claim(cfg.SessionID)
	if err != nil {
		return nil, err
	}
	if !mine {
		return nil, taken(cfg.SessionID)
	}
	at := r.stores(peer, cfg.SessionID)
	var stream eventlog.Stream
	err = journal.Guard(r.opts.Logger, cfg.SessionID, func() (err error) { stream, err = at.log.Create(ctx, cfg.SessionID); return err })
	if fault.KindOf(err) == fault.Conflict {
		err = taken(cfg.SessionID) // it is on disk and not open
	}
	if err != nil {
		return nil, r.fill(sl, cfg.SessionID, nil, err)
	}
	s := r.start(cfg.SessionID, stream, at)
	var c *Client
	if err := s.guard(func() (err error) { c, err = attaching(s).begin(cfg, peer); return err }); err != nil {
		s.abandon()
		err = errors.Join(err, stream.Close(), at.log.Delete(context.WithoutCancel(ctx), cfg.SessionID))
		return nil, r.fill(sl, cfg.SessionID, nil, err)
	}
	_ = s.guard(s.log.Release) // the next command reports a deletion
	MCP(s).Configure(cfg, s.agents.Main())
	s.begin()
	r.fill(sl, cfg.SessionID, s, nil)
	r.Publish(wire.Lifecycle{Type: wire.LifecycleCreated, SessionID: s.id})
	return c, nil
}

// errTaken is why the id of a new session is refused that another session has.
var errTaken = errors.New("a session with this id exists")

func taken(id string) error {
	return &fault.Error{Op: "session.create", On: id, Kind: fault.Conflict, Hint: "resume it, or choose another id", Err: errTaken}
}

// maxOpenTries bounds how often Open tries again because the session was deleted, or could
// not be created by another caller, meanwhile.
const maxOpenTries = 10

// Open is [Registry.Create] if there is no session of that id yet, else [Registry.Resume].
func (r *Registry) Open(ctx context.Context, cfg wire.Config, peer Peer, replacing *Client) (c *Client, err error) {
	for range maxOpenTries {
		if c, err = r.Create(ctx, cfg, peer); !errors.Is(err, errTaken) {
			return c, err
		}
		c, err = r.Resume(ctx, cfg, peer, replacing)
		if fault.KindOf(err) != fault.NotFound || errors.As(err, new(refusal)) {
			return c, err
		}
	}
	return nil, err
}

// Resume attaches a client to a session, from memory or from disk. replacing is
// the earlier attachment of the same client, which ends, or nil.
// A tool that another client provides goes to the new one. [fault.NotFound] if there is
// no such session. If ctx ends early, the client is not attached to a session in memory;
// a session that is read from disk is opened all the same.
func (r *Registry) Resume(ctx context.Context, cfg wire.Config, peer Peer, replacing *Client) (*Client, error) {
	cfg, err := r.accept(cfg)
	if err != nil {
		return nil, err
	}
	for {
		sl, mine, err := r.claim(cfg.SessionID)
		if err != nil {
			return nil, err
		}
		if mine {
			return r.load(context.WithoutCancel(ctx), sl, cfg, peer) // others may wait for it, too
		}
		select {
		case <-sl.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if sl.err != nil {
			continue // that was about the other client's request: this one has an answer of its own
		}
		if !sl.session.storage.forsaken() {
			if err := sl.session.storage.admits(r.stores(peer, cfg.SessionID)); err != nil {
				return nil, err
			}
			c, err := attaching(sl.session).join(ctx, cfg, peer, replacing)
			if fault.KindOf(err) != fault.NotFound || errors.As(err, new(refusal)) {
				return c, err
			}
		}
		select { // it is leaving memory just now: open it anew
		case <-sl.session.Closed():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// load opens a session from disk, or from the storage of its client.
func (r *Registry) load(ctx context.Context, sl *slot, cfg wire.Config, peer Peer) (*Client, error) {
	at := r.stores(peer, cfg.SessionID)
	var stream eventlog.Stream
	err := journal.Guard(r.opts.Logger, cfg.SessionID, func() (err error) { stream, err = at.log.Open(ctx, cfg.SessionID); return err })
	if fault.KindOf(err) == fault.NotFound {
		err = wire.SessionNotFound(cfg.SessionID)
	}
	if err != nil {
		return nil, r.fill(sl, cfg.SessionID, nil, err)
	}
	s := r.start(cfg.SessionID, stream, at)
	var c *Client
	goesOn := false
	if err := s.guard(func() (err error) { c, goesOn, err = attaching(s).reopen(cfg, peer, stream.Notice()); return err }); err != nil {
		s.abandon()
		return nil, r.fill(sl, cfg.SessionID, nil, errors.Join(err, stream.Close()))
	}
	MCP(s).Configure(cfg, s.agents.Main())
	switch {
	case goesOn: // its message comes before those that wait
		s.agents.GoesOn()
		s.launch(queue.Message{}, "")
	case s.config.resumed: // continue the calls that an earlier process left open
		s.agents.GoesOn()
		s.requests.Expect()
		s.external.Expect(s.state.Main.External)
		s.launch(queue.Message{}, "")
	case cfg.ContinuePendingWork: // and with what it had accepted
		s.queue.Drain()
	}
	_ = s.guard(s.log.Release) // the next command reports a deletion
	s.begin()
	r.fill(sl, cfg.SessionID, s, nil)
	return c, nil
}

// abandon ends a session that could not be opened and has no goroutine.
func (s *Session) abandon() {
	s.dropAll()
	s.log.ForgetClaim()
	for _, tail := range s.life.observed {
		tail.Close()
	}
	s.mail.Close()
}

// start makes a session around an open stream.
func (r *Registry) start(id string, stream eventlog.Stream, at stores) *Session {
	s := &Session{
		id: id, home: r.home, storage: storage{dir: at.dir, kept: at.kept},
		logs: r.opts.Logger.With("session", id), mail: mailbox.New(), secrets: r.opts.Redactor.Child(),
	}
	s.log = journal.New(stream, journal.Options{
		ID: id, Host: logHost{s}, Mail: s.mail, Secrets: s.secrets, Logger: s.logs, Running: r.home.Registrar,
		StartID: func(started, cwd string) (string, error) { return r.home.Grants.StartID(id, started, cwd) },
	})
	s.state = s.log.State()
	s.storage.s, s.tools.s = s, s
	on := recorder{s.log, s}
	s.tools.user = usershell.New(usershell.Options{Session: shellHost{on}, ID: id, FS: r.opts.FS, Logs: s.logs})
	s.external = clienttools.New(callHost{on}, id)
	s.tools.servers = servers.New(serverHost{on}, id, &r.home.MCP)
	s.config.canvases = canvas.New(on, id)
	s.queue = queue.New(queueHost{on}, id, s.logs)
	s.compact = compact.New(compactHost{on}, id, "", s.logs)
	s.metrics = metrics.New(metricsHost{on})
	s.workspace.s, s.workspace.files = s, workspace.New(id, at.files.Files(id))
	h := approvalHost{on}
	s.permissions, s.requests = approval.New(approval.Options{
		Session: h, ID: id, Dir: s.storage.dir, Plan: strings.Clone(filepath.Base(s.storage.planForTools())), Start: r.opts.Cwd, Elsewhere: func(model string) string { return elsewhereOf(s, model) }, Rules: &r.home.Rules, Grants: r.home.Grants, Paths: r.home.Paths, Logger: s.logs,
		Sandbox: r.opts.Sandbox,
		Brought: func(ctx context.Context) (folders, linked []string) { return brought(ctx, s) },
	})
	s.questions = approval.NewQuestions(h, h, id)
	s.hooks = hook.New(hook.Options{Session: hookHost{s}, SessionID: id, Files: r.home.HookFiles, Logger: s.logs, Sandbox: hookHost{s}.sandbox})
	s.discovery = discovery.New(r.home.Finder, discoveryHost{s}, id)
	s.command = command.New(commandHost{on}, id, s.discovery)
	s.agents = agents.New(agents.Options{
		Session: agentHost{on}, ID: id, Files: s.discovery, Limits: r.home.Subagents, Models: r.home.AgentModels, Logger: s.logs,
	})
	for range r.opts.Observe {
		s.life.observed = append(s.life.observed, s.log.Tail(s.log.Len()))
	}
	return s
}

// claim returns the slot of an id and whether the caller has to fill it, with
// [Registry.fill] and whatever happens.
func (r *Registry) claim(id string) (sl *slot, mine bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false, fault.New(fault.Unavailable, "session", id, "the server is shutting down")
	}
	if sl = r.slots[id]; sl != nil {
		return sl, false, nil
	}
	sl = &slot{ready: make(chan struct{})}
	r.slots[id] = sl
	r.running.Add(1) // until fill: Close waits for it
	return sl, true, nil
}

// fill ends the opening of a session, and frees its slot if that failed.
func (r *Registry) fill(sl *slot, id string, s *Session, err error) error {
	defer r.running.Done()
	r.mu.Lock()
	sl.session, sl.err = s, err
	if err != nil {
		delete(r.slots, id)
	}
	late, leave := r.closed && s != nil, r.leave
	r.mu.Unlock()
	close(sl.ready)
	if late {
		s.beginClose(leave)
	}
	return err
}

// accept returns a configuration with what the disk adds to it. It refuses configurations that this
// runtime cannot honour or that contradict themselves, before anything is stored.
func (r *Registry) accept(cfg wire.Config) (wire.Config, error) {
	cfg, err := r.home.checked(cfg)
	if err != nil {
		return cfg, err
	}
	return r.withServerFiles(cfg), nil
}

// checked refuses configurations that this runtime cannot honour or that contradict themselves, and resolves what
// other fields stand for.
func (h *Home) checked(cfg wire.Config) (wire.Config, error) {
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
	if err := checkValues(cfg, invalid); err != nil {
		return err
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
	if err := h.Models.CheckModel(cfg.Model, cfg.Remote); err != nil {
		return invalid("%w", err)
	}
	if err := provider.CheckFallback(cfg.FallbackModels, invalid); err != nil {
		return err
	}
	return provider.Check(cfg.Provider, cfg.Remote, invalid)
}
