package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// attachment attaches clients to a session: the first one while the session is created or
// opened, others while it is in memory.
type attachment struct{ s *Session }

func attaching(s *Session) attachment { return attachment{s} }

// begin makes a new session's first event. It runs before the goroutine does.
func (e attachment) begin(cfg wire.Config, peer Peer) (*Client, error) {
	agents, err := e.check(cfg, e.agentFiles(cfg, cfg.Agent, e.s.storage.startCwd(), e.s.config.search))
	if err != nil {
		return nil, err
	}
	at, err := e.s.home.place(cfg, e.s.storage.startCwd())
	if err != nil {
		return nil, err
	}
	e.s.permissions.Begin(at.context.Cwd, cfg.Model)
	e.configure(cfg, agents, at)
	e.s.life.greeting = "new"
	c := e.newClient(cfg, peer, 0)
	e.attach(c, cfg)
	e.s.config.carrier.creator = cfg.By
	var start wire.Data = &wire.SessionStart{
		SessionID: e.s.id, Version: 1, Producer: "sidestick", CopilotVersion: e.s.home.Version,
		StartTime: wire.Moment(time.Now()), SelectedModel: wire.Optional(cfg.Model),
		ReasoningEffort: wire.Optional(cfg.ReasoningEffort), ReasoningSummary: summary(cfg.ReasoningSummary), Context: at.context.Event(),
	}
	if is(cfg.TrackFiles) {
		start = wire.WithJSON(start, wire.FieldTracking, true)
	}
	start = wire.WithField(start, wire.FieldProvidedBy, e.providedBy(cfg))
	events := append([]wire.Data{start}, e.skipping(cfg)...)
	err = e.recorded(c, cfg, append(append(e.unread(cfg, at.with(events...)), e.absent(cfg, at)...), selection(cfg, agents)...)...)
	e.tellManaged(cfg)
	return c, err
}

// reopen replays a session from its log and attaches the first client. notice is what
// opening the log reported, "" for nothing. goesOn means that the session continues a run which the
// previous process did not finish. The session's goroutine has not started yet.
func (e attachment) reopen(cfg wire.Config, peer Peer, notice string) (c *Client, goesOn bool, err error) {
	if err := e.s.log.Replay(1); err != nil {
		return nil, false, err
	}
	if err := e.s.log.Claim(); err != nil { // what seems left open may be the work of another process
		return nil, false, err
	}
	if err := e.s.History().Rebuild(); err != nil {
		return nil, false, err
	}
	own := e.s.permissions.Load()
	cfg.ContinuePendingWork = cfg.ContinuePendingWork && own // a log alone makes nothing run
	agents, chosen, err := e.restore(cfg, own)
	if err != nil {
		return nil, false, err
	}
	folder := e.s.permissions.Folder()
	at, err := e.s.home.place(cfg, folder)
	if err != nil {
		return nil, false, err
	}
	e.configure(cfg, agents, at)
	e.s.life.greeting = "resume"
	e.s.config.resumed = cfg.ContinuePendingWork && (asksAgain(&e.s.log.State().Main) || len(e.s.log.State().Main.Open()) > 0 && !cfg.HoldPendingWork)
	inCall := e.s.log.State().Main.OpenTurn != ""
	c = e.newClient(cfg, peer, e.s.log.Len())
	e.attach(c, cfg)
	if err := e.mayContinue(cfg); err != nil {
		return nil, false, err
	}
	if err := e.warn(notice); err != nil {
		return nil, false, err
	}
	if err := orphansOf(e.s).settle(); err != nil {
		return nil, false, err
	}
	goesOn = !e.s.config.resumed && (e.s.log.State().Main.Unanswered || e.s.log.State().Hold.Interrupted)
	left := queue.Left{Own: own, Continued: cfg.ContinuePendingWork, Held: cfg.HoldPendingWork, Interrupted: goesOn}
	goesOn = goesOn && cfg.ContinuePendingWork && !cfg.HoldPendingWork
	if goesOn, err = e.mayGoOn(goesOn, inCall, cfg); err != nil {
		return nil, false, err
	}
	if err := e.reopenQueue(left); err != nil {
		return nil, false, err
	}
	if err := e.s.permissions.EndAllowAll(); err != nil {
		return nil, false, err
	}
	if at, err = e.s.home.place(cfg, recordedIn(e.s, folder)); err != nil {
		return nil, false, err
	}
	e.choose(cfg, at)
	if err := e.s.permissions.Adopt(own); err != nil {
		return nil, false, err
	}
	err = e.recorded(c, cfg, append(e.resumed(cfg, at, false), chosen...)...)
	e.tellManaged(cfg)
	return c, goesOn, err
}

// reopenQueue decides what becomes of what waits. A session whose work does not go on leaves autopilot.
func (e attachment) reopenQueue(left queue.Left) error {
	if err := e.s.queue.Reopen(left); err != nil {
		return err
	}
	goesOn := left.Continued && !left.Held && (left.Interrupted || e.s.config.resumed || len(e.s.log.State().Queue) > 0)
	if !goesOn {
		if err := e.s.Settings().leaveAutopilot(left.Held || !left.Own); err != nil {
			return err
		}
	}
	return e.s.queue.ReopenHold(left)
}

// mayGoOn says whether to continue a run that the previous process did not finish. inCall means that
// the process ended during a call of the model. If a Copilot Extensions agent was answering that call,
// the run does not continue, because the agent may have acted. A client that does not continue the run
// ends it.
func (e attachment) mayGoOn(goesOn, inCall bool, cfg wire.Config) (bool, error) {
	main := &e.s.log.State().Main
	switch {
	case goesOn && inCall && state.IsExtension(e.s.log.State().Model):
		return false, e.s.log.Record("", turn.Failure(&fault.Error{
			Op: "session.resume", On: e.s.id, Kind: fault.Unavailable, Hint: "send the message again",
			Err: errors.New("the process ended while the agent answered; the agent is not asked again, because it may have acted"),
		}, ""))
	case !cfg.ContinuePendingWork && cfg.DisableResume && main.Unanswered: // else session.resume says it
		return false, e.s.log.Record("", runEnded("The run has ended."))
	}
	return goesOn, nil
}

// recorded records the events with which a session begins for its first client, and then the canvases
// and the name that the client brings.
func (e attachment) recorded(c *Client, cfg wire.Config, events ...wire.Data) error {
	if err := e.s.log.Record("", events...); err != nil {
		return err
	}
	e.s.config.canvases.Join(asked{c}, cfg)
	return e.named(cfg)
}

// maxJoinTries bounds how often a client's folders are resolved anew because the session
// moved to another folder meanwhile.
const maxJoinTries = 10

// join attaches a client to a session in memory. If no client was attached and the session
// waits for an answer, the new client decides whether it continues to wait; clients that had gone
// before do not count as attached. The disk is
// read on the caller's goroutine. If ctx ends early, the client is not attached.
func (e attachment) join(ctx context.Context, cfg wire.Config, peer Peer, replacing *Client) (*Client, error) {
	if err := e.awaitDepartures(ctx, replacing); err != nil {
		return nil, err
	}
	files, err := e.agentFilesOf(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := orphansOf(e.s).interrupt(ctx, cfg, files); err != nil {
		return nil, err
	}
	placed, err := withGitChoice(ctx, e.s, cfg)
	if err != nil {
		return nil, err
	}
	for range maxJoinTries {
		at, err := e.s.home.place(placed, e.s.log.Cwd())
		if err != nil {
			return nil, err
		}
		c, err := mailbox.Deliver(ctx, e.s.log.Do, func() (*Client, error) {
			if at.from != e.s.log.State().Cwd {
				return nil, nil
			}
			return e.joinNow(cfg, files, at, peer, replacing)
		}, e.s.drop)
		if c != nil || err != nil {
			return c, err
		}
	}
	return nil, fault.New(fault.Unavailable, "session.resume", e.s.id, "the session moved to another folder again and again; try again")
}

// joinNow is join on the session's goroutine. A client that is refused changes nothing:
// everything is checked first, then the resume is recorded, and then it takes effect.
func (e attachment) joinNow(cfg wire.Config, files []agent.Definition, at place, peer Peer, replacing *Client) (*Client, error) {
	agents, err := e.check(cfg, files)
	if err != nil {
		return nil, err
	}
	active, again := len(e.s.clients) > 0, slices.Contains(e.s.clients, replacing)
	var kept []string
	if replacing != nil {
		kept = replacing.tools.Names()
	}
	tools, changed := len(cfg.Tools)+len(kept) > 0, len(cfg.Commands) > 0 || replacing != nil && len(replacing.commands) > 0
	c, err := e.recordJoin(cfg, append(e.resumed(cfg, at, active), selection(cfg, agents)...), peer, replacing)
	if err != nil {
		return nil, err
	}
	if again { // the connection has registered them, and still holds their handles
		c.interests = replacing.interests
		e.s.questions.Replaced(asked{replacing}, asked{c})
	}
	e.s.command.Pass(asked{replacing}, asked{c})
	replacing.remove()
	e.choose(cfg, at)
	cfg.By = e.s.config.carrier.given(cfg.By)
	e.configure(cfg, agents, at)
	MCP(e.s).Configure(cfg, agents.Main)
	e.attach(c, cfg)
	if changed {
		e.s.command.Announce(asked{c})
	}
	if c.hooks {
		e.s.life.greeting = "resume"
	}
	e.s.config.canvases.Join(asked{c}, cfg)
	e.s.tools.external.TakeOver(c.tools, kept, active)
	if tools {
		e.s.tools.external.Announce()
	}
	if !active {
		e.s.requests.Repeat()
	}
	e.s.questions.Attached(asked{c}, again)
	e.tellManaged(cfg)
	if cfg.CustomAgents != nil {
		e.s.agents.Announce()
	}
	if err := e.named(cfg); err != nil {
		e.s.drop(c)
		return nil, err
	}
	return c, nil
}

// choose grants the folder and the model that a client names when it resumes the session. What
// only the log names is not granted.
func (e attachment) choose(cfg wire.Config, at place) {
	if cfg.WorkingDirectory != "" {
		e.s.permissions.GrantFolder(at.context.Cwd)
	}
	e.s.permissions.GrantModel(cfg.Model)
}

// recordJoin records what a resume changed, and returns the client that resumes, which sees
// those events. If it takes the place of an earlier attachment, that one sees all events
// before them and none after.
func (e attachment) recordJoin(cfg wire.Config, events []wire.Data, peer Peer, replacing *Client) (*Client, error) {
	after, end := e.s.log.Len(), func() {}
	if len(events) > 0 {
		if err := e.s.log.MayRecord(); err != nil {
			return nil, err
		}
	}
	if slices.Contains(e.s.clients, replacing) {
		after, end = e.s.log.Len(), replacing.tail.End
	}
	c := e.newClient(cfg, peer, after)
	c.keep(replacing, cfg)
	if err := e.s.log.RecordAfter(end, "", events...); err != nil {
		c.tail.Close()
		return nil, err
	}
	return c, nil
}

func summary(s string) *wire.ReasoningSummary { return wire.Optional(wire.ReasoningSummary(s)) }

// place is where a client's configuration has a session work.
type place struct {
	from        string // the folder that the session worked in before
	context     wire.SessionContext
	directories []string                // the additional ones, resolved; nil if the configuration has none
	sandbox     *approval.SandboxChange // nil if the configuration has none
	plugins     *wire.SessionWarning    // about the plugins that it names; nil for none
	absent      []string                // the folders that it names and that do not exist, in words
}

// place reads what the disk holds about a configuration, for a session that works in the
// folder from. It is not called on the goroutine of a session in memory. The error is a
// [refusal].
func (h *Home) place(cfg wire.Config, from string) (place, error) {
	p := place{from: from, context: h.Finder.Locate(cfg, from)}
	if cfg.MoreDirectories != nil {
		p.directories = h.Paths.Folders(cfg.MoreDirectories, p.context.Cwd)
	}
	p.plugins, p.absent = h.Finder.WarnOfPlugins(cfg.PluginDirectories, p.context.Cwd), h.Finder.Absent(cfg, p.context.Cwd)
	var err error
	if p.sandbox, err = h.Paths.Sandbox(wire.Sandboxed{Config: cfg.SandboxConfig, Short: cfg.Sandbox}, h.Sandbox.Settings, p.context.Cwd); err != nil {
		return p, refusal{err}
	}
	return p, nil
}

// with returns the events of a create or resume, with warnings if the sandbox or the plugins
// are not exactly as they were configured.
func (p place) with(events ...wire.Data) []wire.Data {
	if w := p.sandbox.Warning(); w != nil {
		events = append(events, w)
	}
	if p.plugins != nil {
		events = append(events, p.plugins)
	}
	return events
}

// refusal is the error of a configuration that contradicts the session, unlike that of a
// session that is closing.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// check refuses a configuration that contradicts the session, with a [refusal], and returns
// the agents that the session has with it; files are those of files. It changes nothing.
func (e attachment) check(cfg wire.Config, files []agent.Definition) (agent.Roster, error) {
	if err := e.s.tools.external.Admit(cfg.Tools); err != nil {
		return agent.Roster{}, refusal{fault.New(fault.Invalid, "session", e.s.id, "%w", err)}
	}
	if cfg.Model != "" {
		if err := allows(e.s, cfg.Model); err != nil {
			return agent.Roster{}, refusal{err}
		}
	}
	agents := e.s.agents.Roster()
	if err := agents.Configure(cfg, files); err != nil {
		return agents, refusal{err}
	}
	if err := e.s.config.providers.Registered.Add(cfg.By, nil, cfg.Providers, cfg.Models).CheckChoice("session", e.s.id, cfg.Model); err != nil {
		return agents, refusal{err}
	}
	return agents, nil
}

// configure applies the settings of a create, a resume or an update. Absent ones stay. at has what the disk
// holds about them; agents are those of [attachment.check].
func (e attachment) configure(cfg wire.Config, agents agent.Roster, at place) {
	e.s.agents.Configure(agents)
	cfg.GitHubTokens = MCP(e.s).FollowTokens(cfg, e.s.log.Secrets().AddPassing)
	if cfg.Provider != nil || cfg.GitHubToken != "" && !e.s.config.providers.Brought || !e.s.config.configured {
		cfg = e.s.config.keptBy(cfg)
		e.s.config.providers.Own, e.s.config.providers.ClientName, e.s.config.providers.Brought = e.s.home.Models.For(cfg), cfg.ClientName, cfg.Provider != nil
	}
	e.s.log.Secrets().Add(cfg.GitHubToken) // also one that the provider of the session does not use
	if cfg.EnableCitations != nil {
		e.s.config.citations = *cfg.EnableCitations
	}
	if cfg.Account != nil {
		e.s.config.account = cfg.Account
	}
	if p := cfg.Provider; p != nil && p.Capabilities != nil && cfg.ModelCapabilities == nil {
		e.s.config.override = p.Capabilities
	}
	e.s.config.configured = true
	if trace := cfg.Traceparent; trace != "" && len(trace) <= queue.MaxTraceparent { // the parent of runs whose messages name none
		e.s.config.traceparent = trace
	}
	e.s.config.providers.Remote, e.s.config.holds = e.s.config.providers.Remote || cfg.Remote, e.s.config.holds || cfg.HoldPendingWork
	e.s.config.take(cfg)
	if at.directories != nil {
		e.s.permissions.UseFolders(at.directories)
	}
	if at.sandbox != nil {
		e.s.permissions.ConfigureSandbox(at.sandbox.Settings)
	}
}

// keptBy adds to the configuration of a client that joins what it does not send and must not reset: a token alone
// changes nothing but the credential.
func (c *configuration) keptBy(cfg wire.Config) wire.Config {
	if !c.configured || cfg.Provider != nil {
		return cfg
	}
	cfg.ClientName = cmp.Or(cfg.ClientName, c.providers.ClientName)
	if c.providers.Own.NoWebSockets && cfg.Capi.WebSockets == nil {
		cfg.Capi.WebSockets = new(bool)
	}
	return cfg
}

// take applies the settings that are kept as they were sent.
func (c *configuration) take(cfg wire.Config) {
	if a := cfg.Autopilot; a != nil {
		c.autopilot.Continues = cmp.Or(a.Continues, c.autopilot.Continues)
		c.autopilot.MaxContinues = cmp.Or(a.MaxContinues, c.autopilot.MaxContinues)
	}
	if cfg.Streaming != nil {
		c.streaming = *cfg.Streaming
	}
	if cfg.AvailableTools != nil || cfg.ExcludedTools != nil {
		c.filter = agent.Filter{
			Available: cfg.AvailableTools, Excluded: cfg.ExcludedTools, ExcludedWins: cfg.FilterPrecedence == wire.PrecedenceExcluded,
		}
	}
	c.search.Configure(cfg)
	c.git = cmp.Or(cfg.GitOperations, c.git)
	c.fileHooks = c.fileHooks.Enable(cfg.EnableFileHooks)
	if cfg.InfiniteSessions != nil {
		c.infinite = infinite{*cfg.InfiniteSessions}
	}
	c.largeOutput, c.toolSearch = cmp.Or(cfg.LargeOutput, c.largeOutput), cmp.Or(cfg.ToolSearch, c.toolSearch)
	if cfg.SessionLimits != nil {
		c.limits = cfg.SessionLimits
	}
	if cfg.Budget != nil {
		c.budget = cfg.Budget
	}
	c.providers.FallBackTo(cfg.FallbackModels)
	if cfg.SwitchAlways != nil {
		c.switchAlways = *cfg.SwitchAlways
	}
	if cfg.AskUserDisabled != nil {
		c.noQuestions = *cfg.AskUserDisabled
	}
	if cfg.SuppressPrompt != nil {
		c.agentPromptOff = *cfg.SuppressPrompt
	}
	if cfg.AskUserVariant != "" {
		c.asksWithForms = cfg.AskUserVariant == variantElicitation
	}
	if cfg.SystemMessage != nil {
		c.prompting = cfg.SystemMessage
	}
	if cfg.ModelCapabilities != nil {
		c.override = cfg.ModelCapabilities
	}
	if cfg.PendingPermissions != "" {
		c.waits = cfg.PendingPermissions == "wait"
	}
}

// resumed are the events that record what a client that resumes the session changed. at is
// where its configuration has the session work, active whether other clients were attached.
func (e attachment) resumed(cfg wire.Config, at place, active bool) (events []wire.Data) {
	where := at.context
	if !cfg.DisableResume {
		size := e.s.log.Size()
		other := e.s.log.OpenElsewhere()
		if other != "" {
			e.s.log.Logger().Warn("another process has this session open", "process", other)
		}
		events = append(events, &wire.SessionResume{
			AlreadyInUse: wire.Optional(other != ""),
			ResumeTime:   wire.Moment(time.Now()), EventCount: int64(e.s.log.Len()), EventsFileSizeBytes: &size,
			SelectedModel: wire.Optional(cfg.Model), ReasoningEffort: wire.Optional(cfg.ReasoningEffort), ReasoningSummary: summary(cfg.ReasoningSummary),
			SessionWasActive: &active, ContinuePendingWork: &cfg.ContinuePendingWork, Context: where.Event(),
		})
		if e.s.run != nil && !active {
			events[0] = wire.WithJSON(events[0], wire.FieldRunUnderWay, true)
		}
	} else if cfg.Model != "" && cfg.Model != e.s.log.State().Model {
		events = append(events, &wire.SessionModelChange{NewModel: cfg.Model, PreviousModel: wire.Optional(e.s.log.State().Model)})
	}
	events = e.provided(cfg, events)
	if l := cfg.SessionLimits; l != nil && e.s.config.limits != nil && l.MaxAICredits != e.s.config.maxCredits() {
		events = append(events, ledger.CreditsChanged(l.MaxAICredits))
	}
	if where.Cwd != e.s.log.State().Cwd {
		events = append(events, moved(where))
	}
	if is(cfg.TrackFiles) && !e.s.log.State().TracksFiles {
		events = append(events, &wire.SessionWarning{
			WarningType: "file_tracking", Message: "enableFileChangeTracking has no effect: the session was created without it.",
		})
	}
	events = append(events, e.skipping(cfg)...)
	return append(e.unread(cfg, at.with(events...)), e.absent(cfg, at)...)
}

// skipping returns the event that records whether the files with instructions are left unread, if a
// configuration changes that.
func (e attachment) skipping(cfg wire.Config) []wire.Data {
	if skip := cfg.SkipCustomInstructions; skip != nil && *skip != e.s.log.State().SkipsInstructions {
		return []wire.Data{wire.InstructionsSkipped(*skip)}
	}
	return nil
}
