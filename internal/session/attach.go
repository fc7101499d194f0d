package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Client is one client's place in a session: what it brings, and its cursor on
// the log. The zero value is not usable; [Registry.Create] and
// [Registry.Resume] return them.
type Client struct {
	s      *Session
	tail   *eventlog.Tail
	tools  []*clientTool
	offers offers
	// changed is closed, and replaced, when tools loses one to a newer client.
	changed chan struct{}
	peer    Peer // may be nil
	gone    context.Context
	leave   context.CancelFunc // ends gone

	decides  bool // answers permission requests
	answers  bool // answers questions
	approves bool // decides on plans
	hooks    bool // has hooks

	transforms bool // rewrites sections of the system message
	shows      bool // does so as session.permissions.setRequired says

	lost atomic.Pointer[map[string]bool] // tools that a newer client has taken over; nil: none
}

// Peer is how a session calls a client: what goes to one client alone, such as hooks
// and questions, and not as an event to all. The implementations are package server's
// connections and package app's terminal.
type Peer interface {
	// Call calls a method and decodes its result, which may be nil to drop it. It
	// returns when the client has answered, its connection has ended, or ctx has.
	Call(ctx context.Context, method string, params, result any) error
}

// Tools implements [tool.Source]: a client's tools are those of its registration.
func (c *Client) Tools() []tool.Tool {
	var tools []tool.Tool
	for _, t := range c.tools {
		tools = append(tools, t)
	}
	return tools
}

// Changed implements [tool.Source].
func (c *Client) Changed() <-chan struct{} { return c.changed }

// Session returns the session that the client is attached to.
func (c *Client) Session() *Session { return c.s }

// Tail is the client's cursor: every event from its attachment on.
func (c *Client) Tail() *eventlog.Tail { return c.tail }

// present returns a context that ends with ctx, and when the client leaves.
func (c *Client) present(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.gone, cancel)
	return ctx, func() { stop(); cancel() }
}

// attach adds a client that sees the events after the record at after. Its tools join
// those of the others.
func (s *Session) attach(cfg wire.Config, peer Peer, after uint64, replacing *Client) (*Client, error) {
	if err := s.config.agents.Configure(cfg); err != nil {
		return nil, err
	}
	c := &Client{
		s: s, changed: make(chan struct{}), peer: peer, decides: is(cfg.RequestPermission), answers: is(cfg.RequestUserInput),
		approves: is(cfg.RequestExitPlan), hooks: is(cfg.Hooks), transforms: transforms(cfg.SystemMessage),
	}
	for _, t := range cfg.Tools {
		if !t.Overrides && s.tools.builtin(t.Name) {
			return nil, fault.New(fault.Invalid, "session", s.id,
				"a tool is called %q like a built-in one; name it otherwise, or set overridesBuiltInTool to take its place", t.Name)
		}
		c.tools = append(c.tools, newClientTool(s, t))
	}
	s.drop(replacing)
	c.tail = s.log.Tail(after)
	c.gone, c.leave = context.WithCancel(context.Background())
	s.clients = append(s.clients, c)
	s.callHooksOfClient()
	return c, nil
}

func transforms(set *wire.SystemMessageSet) bool {
	if set != nil {
		for _, o := range set.Sections {
			if o.Action == "transform" {
				return true
			}
		}
	}
	return false
}

func is(v *bool) bool { return v != nil && *v }

func (s *Session) drop(c *Client) {
	if i := slices.Index(s.clients, c); i >= 0 {
		s.clients = slices.Delete(s.clients, i, i+1)
		c.leave()
		c.tail.Close()
		s.callHooksOfClient()
		s.questions.Left(asked{c})
	}
}

// Detach takes a client out of its session; its tools go with it. Questions that
// it was asked stay open for others. The last client out sends the session from
// memory as soon as it neither works nor waits; if that is at once, Detach
// returns after it, so that another process can open the log.
func (c *Client) Detach(ctx context.Context) error {
	leaves := false
	err := c.s.post(ctx, func() error {
		c.s.drop(c)
		leaves = len(c.s.clients) == 0 && c.s.run == nil
		return nil
	})
	switch {
	case fault.KindOf(err) == fault.NotFound && err != nil:
		c.tail.Close() // the session has left already, and may have told more than was read
		return nil
	case err != nil || !leaves:
		return err
	}
	select {
	case <-c.s.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leaveWhenUnused closes a session that nobody is attached to once it is idle.
func (s *Session) leaveWhenUnused() {
	if len(s.clients) == 0 && s.run == nil && !s.life.closing {
		s.startClosing()
	}
}

// configure takes over the settings of a create or resume. Absent ones stay. folders are
// the resolved additional directories, nil for absent.
func (s *Session) configure(cfg wire.Config, folders []string) {
	if cfg.Provider != nil || cfg.GitHubToken != "" || !s.config.configured {
		s.config.provider = s.reg.provider(cfg)
	}
	s.config.configured = true
	s.config.remote = s.config.remote || cfg.Remote
	if cfg.Streaming != nil {
		s.config.streaming = *cfg.Streaming
	}
	if cfg.AvailableTools != nil || cfg.ExcludedTools != nil {
		s.config.filter = agent.Filter{
			Available: cfg.AvailableTools, Excluded: cfg.ExcludedTools, ExcludedWins: cfg.FilterPrecedence == "excluded",
		}
	}
	s.config.search.Configure(cfg)
	s.config.fileHooks = s.config.fileHooks.Enable(cfg.EnableFileHooks)
	if cfg.InfiniteSessions != nil {
		s.config.infinite = infinite{*cfg.InfiniteSessions}
	}
	if cfg.LargeOutput != nil {
		s.config.largeOutput = cfg.LargeOutput
	}
	if cfg.SessionLimits != nil {
		s.config.limits = cfg.SessionLimits
	}
	if cfg.Budget != nil {
		s.config.budget = cfg.Budget
	}
	if cfg.SystemMessage != nil {
		s.config.prompting = cfg.SystemMessage
	}
	if cfg.ModelCapabilities != nil {
		s.config.override = cfg.ModelCapabilities
	}
	if folders != nil {
		s.permissions.UseFolders(folders)
	}
}

// directories resolves the additional directories of a configuration; nil if it has none.
// It reads the disk, so it does not run on the goroutine of a session in memory. cwd is
// the folder that the session works in, unless the configuration names another.
func (r *Registry) directories(cfg wire.Config, cwd string) []string {
	if cfg.MoreDirectories == nil {
		return nil
	}
	return r.paths.Folders(cfg.MoreDirectories, r.finder.Locate(cfg, cwd).Cwd)
}

// begin makes a new session's first event. It runs before the goroutine does.
func (s *Session) begin(cfg wire.Config, peer Peer) (*Client, error) {
	s.configure(cfg, s.reg.directories(cfg, s.reg.opts.Cwd))
	s.life.greeting = "new"
	c, err := s.attach(cfg, peer, 0, nil)
	if err != nil {
		return nil, err
	}
	where := s.reg.finder.Locate(cfg, s.reg.opts.Cwd)
	return c, s.log.record(&wire.SessionStart{
		SessionID: s.id, Version: 1, Producer: "sidestick", CopilotVersion: s.reg.opts.Version,
		StartTime: whole(time.Now()), SelectedModel: wire.Optional(cfg.Model),
		ReasoningEffort: wire.Optional(cfg.ReasoningEffort), ReasoningSummary: summary(cfg.ReasoningSummary), Context: where.Event(),
	})
}

// reopen replays a session from its log and lets the first client in. notice is what
// opening the log has to report, if anything. It runs before the goroutine does.
func (s *Session) reopen(cfg wire.Config, peer Peer, notice string) (*Client, error) {
	if err := s.log.replay(1); err != nil {
		return nil, err
	}
	if err := s.log.claim(); err != nil { // what seems left open may be another's work
		return nil, err
	}
	if err := s.History().rebuildNow(); err != nil {
		return nil, err
	}
	s.configure(cfg, s.reg.directories(cfg, cmp.Or(s.state.Cwd, s.reg.opts.Cwd)))
	s.life.greeting = "resume"
	s.config.resumed = cfg.ContinuePendingWork && len(s.state.Main.Open()) > 0
	c, err := s.attach(cfg, peer, s.log.Len(), nil)
	if err != nil {
		return nil, err
	}
	if notice != "" {
		if err := s.log.record(&wire.SessionWarning{WarningType: state.WarningLogRepaired, Message: notice}); err != nil {
			return nil, err
		}
	}
	if s.state.Unreadable > s.state.UnreadableReported {
		if err := s.log.record(unreadable(s.state.Unreadable)); err != nil {
			return nil, err
		}
	}
	if err := orphansOf(s).closeSummary(); err != nil {
		return nil, err
	}
	closing := orphansOf(s).close
	if s.config.resumed { // the run finishes the calls of the main agent
		closing = orphansOf(s).closeAgents
	}
	if err := closing(); err != nil {
		return nil, err
	}
	if !cfg.ContinuePendingWork {
		if err := s.Queue().flush(); err != nil {
			return nil, err
		}
	}
	if err := s.permissions.EndAllowAll(); err != nil {
		return nil, err
	}
	return c, s.recordResume(cfg, false)
}

// join lets a client into a session in memory. If nobody was attached and the
// session waits for an answer, the client decides whether it goes on waiting.
func (s *Session) join(ctx context.Context, cfg wire.Config, peer Peer, replacing *Client) (*Client, error) {
	if err := orphansOf(s).interrupt(ctx, cfg); err != nil {
		return nil, err
	}
	folders := s.reg.directories(cfg, *s.at.Load())
	var c *Client
	err := s.do(ctx, func() (err error) {
		active := len(s.clients) > 0
		s.configure(cfg, folders)
		if c, err = s.attach(cfg, peer, s.log.Len(), replacing); err != nil {
			return err
		}
		if c.hooks {
			s.life.greeting = "resume"
		}
		if err := s.recordResume(cfg, active); err != nil {
			s.drop(c)
			return err
		}
		s.tools.takeOver(c)
		if !active {
			s.permissions.Repeat()
		}
		s.questions.Attached()
		return nil
	})
	return c, err
}

// recordResume records what the client that comes back changed.
func (s *Session) recordResume(cfg wire.Config, active bool) error {
	var events []wire.Data
	where := s.reg.finder.Locate(cfg, s.state.Cwd)
	if !cfg.DisableResume {
		size := s.log.Size()
		other := s.log.openElsewhere()
		if other != "" {
			s.logs.Warn("another process has this session open", "process", other)
		}
		events = append(events, &wire.SessionResume{
			AlreadyInUse: wire.Optional(other != ""),
			ResumeTime:   whole(time.Now()), EventCount: int64(s.log.Len()), EventsFileSizeBytes: &size,
			SelectedModel: wire.Optional(cfg.Model), ReasoningEffort: wire.Optional(cfg.ReasoningEffort), ReasoningSummary: summary(cfg.ReasoningSummary),
			SessionWasActive: &active, ContinuePendingWork: &cfg.ContinuePendingWork, Context: where.Event(),
		})
	} else if cfg.Model != "" && cfg.Model != s.state.Model {
		events = append(events, &wire.SessionModelChange{NewModel: cfg.Model, PreviousModel: wire.Optional(s.state.Model)})
	}
	if where.Cwd != s.state.Cwd {
		events = append(events, &wire.SessionContextChanged{
			Cwd: where.Cwd, GitRoot: wire.Optional(where.GitRoot), Repository: wire.Optional(where.Repository), Branch: wire.Optional(where.Branch),
		})
	}
	if len(events) == 0 {
		return nil
	}
	return s.log.record(events...)
}

// unreadable says how much of a log is no event: another program wrote it, or a
// disk changed it. It stays in the log, and the session goes on without it.
func unreadable(lines int) *wire.SessionWarning {
	message := "1 line of the session's log is no event and is passed over."
	if lines > 1 {
		message = fmt.Sprintf("%d lines of the session's log are no events and are passed over.", lines)
	}
	return &wire.SessionWarning{WarningType: state.WarningLogUnreadable, Message: message}
}
