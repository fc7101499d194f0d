package session

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/canvas"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/files"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/journal"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/metrics"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/stack"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is one conversation. Its methods, and those of the values that it returns, are
// safe for concurrent use. Those with a context are commands: the session's goroutine carries
// them out, one after the other, and they return when that has happened. The others wait for
// nothing.
//
// Commands return a [fault.NotFound] error once the session has been closed. They return
// ctx.Err() as soon as ctx ends. A command that has not begun then is never carried out. A
// command that has begun is carried out to its end, once, and its result is lost for the
// caller: what it records is in the log and reaches the clients. A method's comment names
// what else an early return leaves behind.
//
// A test bounds the methods of a Session, so [Follow] and [MCP] are functions.
type Session struct {
	id      string
	home    *Home
	storage storage
	log     *journal.Journal

	agents    *agents.Agents
	hooks     *hook.Hooks
	discovery *discovery.Discovery

	workspace   *files.Workspace
	permissions *approval.Permissions // commands of clients
	requests    *approval.Requests    // open permission requests
	questions   *approval.Questions

	// The rest belongs to the session's goroutine.
	config  configuration
	clients []*Client
	tools   toolset
	run     *run // nil when idle
	life    lifetime
	compact *compact.Compaction // of the main conversation
	queue   *queue.Queue
	command *command.Commands
	metrics *metrics.Metrics
}

// lifetime is what a session in memory does, and whether and why it is leaving memory.
type lifetime struct {
	s        *Session
	discard  bool // closing because of a deletion: write nothing more
	ending   ending
	parted   chan struct{}                // closed when the work of parting has ended; nil before
	greeting string                       // "new" or "resume": the source for sessionStart hooks, until they are called
	observed []*eventlog.Tail             // one for each of [Home].Observe
	seen     atomic.Pointer[listing.Live] // see [Session.Glance]; never nil once the session has begun
}

// configuration is what clients configured and the log does not hold: credentials and
// switches that a resume must bring again.
type configuration struct {
	configured  bool
	providers   provider.Set
	carrier     carrier
	citations   bool // asked for by the client
	streaming   bool // the last choice of a client; it counts for clients that choose nothing
	autopilot   wire.Autopilot
	allowed     atomic.Pointer[[]string] // the models that may be called; nil: all. Any goroutine reads it
	holds       bool                     // a user interface has it: after a failed run the queue is held
	filter      agent.Filter
	prompting   *wire.SystemMessageSet
	override    *wire.Capabilities
	search      discovery.Settings
	fileHooks   hook.Switch
	hooksLater  bool // hook files are not read until a client says so
	infinite    infinite
	largeOutput *wire.LargeOutput
	toolSearch  *wire.ToolSearch
	limits      *wire.SessionLimits
	budget      *wire.Budget
	waits       bool   // permission requests that no client decides stay open
	resumed     bool   // the next run finishes the calls that an earlier process left open
	traceparent string // of runs whose messages bring none

	git            *bool           // whether the repository of the folder is looked for; nil: it is
	agentPromptOff bool            // the model does not read the instructions of the main agent
	noQuestions    bool            // the model has no tool to ask its user
	asksWithForms  bool            // the model asks its user with forms
	switchAlways   bool            // a run that a rate limit has stopped continues on another model without asking
	warned         map[string]bool // what was warned of about the model
	withheld       map[string]bool // addresses of which it was said that a client does not carry their calls
	elicits        bool            // whether an attached client answers elicitations, as the clients know
	account        *wire.Account   // of the client's GitHub token; nil: that of the process
	canvases       *canvas.Canvases
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// OpenElsewhere names another process that has the session open; "" if there is none, or if that is unknown.
func (s *Session) OpenElsewhere() string { return s.log.OpenElsewhere() }

// Closed is closed when the session has left memory.
func (s *Session) Closed() <-chan struct{} { return s.log.Mail().Closed() }

// begin starts the session's goroutine, for which the registry waits when it closes.
func (s *Session) begin() {
	s.life.glance()
	for i, observe := range s.home.Observe {
		tail := s.life.observed[i]
		s.log.Go("session.observe", func() {
			defer tail.Close()
			observe(context.Background(), s.id, tail.Records(context.Background())) // they end with the session
		})
	}
	s.storage.watchKeeper()
	s.workspace.Write() // the client may have given it a name
	s.home.Registrar.Hold()
	go s.loop() // not with Go, whose frames the goroutine of each session would keep
}

// loop is the session's goroutine. It ends when the session closes and nothing works in it
// any more. Functions that run in it are guarded against panics.
func (s *Session) loop() {
	idle := s.home.idleTimer()
	for s.stays() {
		attend(s, idle) // here, and not below guard: a session that waits keeps a small stack
		if s.run != nil {
			stack.Keep(func() {
				for s.run != nil {
					attend(s, idle)
				}
			})
		}
	}
	idle.Stop()
	s.queue.Schedule().End()
	_ = s.log.Guard(func() error { s.life.shutdown(); return nil })
	s.home.Registrar.Left(s)
	s.log.Mail().Close()
	s.home.Registrar.Release()
}

// attend does what the session's goroutine has to do next, and waits for it.
func attend(s *Session, idle *time.Timer) {
	over, wanted := s.log.Spare()
	select {
	case f := <-s.log.Mail().Functions():
		received(s, f)
	case <-s.log.Lost():
		dispossessed(s)
	case <-over:
		spared(s)
	case <-wanted:
		spared(s)
	case <-s.queue.Schedule().Due():
		scheduled(s)
	case <-idle.C:
		unused(s, idle)
	}
}

// stays reports whether the session's goroutine has something to wait for.
func (s *Session) stays() bool {
	return !s.log.Closing() || s.run != nil || s.compact.Busy() || s.log.Changing() || s.tools.user.Busy() || s.life.parting()
}

func received(s *Session, f *mailbox.Function) {
	defer journal.Survive(s.log.Logger(), s.id, nil)
	f.Run()
	s.life.glance()
	s.leaveWhenUnused()
}

// dispossessed ends what works under a claim that has been lost.
func dispossessed(s *Session) {
	defer journal.Survive(s.log.Logger(), s.id, nil)
	s.log.LoseClaim()
	s.leaveWhenUnused()
}

// scheduled sends the prompts that are due.
func scheduled(s *Session) {
	defer journal.Survive(s.log.Logger(), s.id, nil)
	s.queue.Schedule().Fire()
}

// spared gives back a claim that was kept without need.
func spared(s *Session) {
	defer journal.Survive(s.log.Logger(), s.id, nil)
	s.log.GiveBackSpare()
}

func unused(s *Session, idle *time.Timer) {
	defer journal.Survive(s.log.Logger(), s.id, nil)
	s.life.expire(idle)
	s.leaveWhenUnused()
}

func trace() string { return string(debug.Stack()) }

// updateLists puts the session's state into the lists of sessions, unless it works: a run
// does so when it ends. Of a session that a client keeps nothing is kept here.
func updateLists(s *Session) {
	if s.run == nil && s.storage.kept == nil {
		s.home.Registrar.Put(s.id, s.log.State().Outline, s.log.State().Name.Name, s.log.Size(), s.log.State().Modified)
	}
}

func lifecycleOf(s *Session, kind string) wire.Lifecycle {
	return wire.Lifecycle{Type: kind, SessionID: s.id, Metadata: &wire.LifecycleMetadata{
		StartTime: wire.FormatTime(s.log.State().Started), ModifiedTime: wire.FormatTime(s.log.State().Modified), Summary: s.log.State().Label(),
	}}
}

// Snapshot describes the session as it is now.
func (s *Session) Snapshot(ctx context.Context) (wire.Snapshot, error) {
	return mailbox.Ask(ctx, s.log.Do, func() (wire.Snapshot, error) {
		folder := s.Dir()
		return wire.Snapshot{
			SessionID: s.id, StartTime: wire.Moment(s.log.State().Started), ModifiedTime: wire.Moment(s.log.State().Modified), Summary: wire.Optional(s.log.State().Label()),
			SelectedModel: wire.Optional(s.Settings().currentModel()), CurrentMode: wire.SnapshotMode(s.log.State().SessionMode()), WorkingDirectory: s.log.State().Cwd,
			Workspace: s.workspace.Summary(), WorkspacePath: &folder, AlreadyInUse: s.log.OpenElsewhere() != "",
			SessionLimits: ledger.CreditsConfig(s.config.maxCredits()),
		}, nil
	})
}

// Working reports whether a run is under way.
func (s *Session) Working(ctx context.Context) (bool, error) {
	return mailbox.Ask(ctx, s.log.Do, func() (bool, error) { return s.run != nil, nil })
}
