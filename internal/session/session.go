package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Session is one conversation. Its methods are safe for concurrent use; each is
// a command in the mailbox of the session's goroutine and returns when it has
// been carried out there. All return a [fault.NotFound] error once the session
// has been closed, and ctx.Err() if ctx ends first.
type Session struct {
	id    string
	reg   *Registry
	dir   string // the session's folder
	log   *eventlog.Log
	files *workspace.Workspace
	logs  *slog.Logger

	mailbox chan func()
	closed  chan struct{} // closed when the goroutine has ended

	out       outlet
	at        atomic.Pointer[string] // the working directory
	hooks     *hook.Hooks
	discovery *discovery.Discovery
	working   atomic.Pointer[run] // nil when idle
	database  database

	permissions *approval.Permissions
	questions   *approval.Questions

	// The rest belongs to the session's goroutine.
	state state.State
	settings
	clients    []*Client
	builtins   *builtins                    // made when first needed
	headers    map[string]map[string]string // of pending messages, by id: never stored
	external   externalCalls
	run        *run    // nil when idle
	ratio      float64 // bytes per token, learnt from reported usage
	totals     totals
	own        ownership
	closing    bool
	discard    bool // closing because of a deletion: write nothing more
	ending     ending
	broken     error
	parted     chan struct{}   // closed when the sessionEnd hooks have been told; nil before
	compacting *compaction     // under way; nil if none is
	attempt    *prompt.Attempt // the last one; nil if there was none since it was opened
	greeting   string          // "new" or "resume": what sessionStart hooks are still to be told
	used       time.Time       // of the last command or the end of the last run
}

// settings is what a client configured and the log does not hold: credentials
// and switches that a resume must bring again.
type settings struct {
	configured  bool
	provider    Provider
	streaming   bool
	filter      agent.Filter
	prompting   *wire.SystemMessageSet
	override    *wire.Capabilities
	search      discovery.Settings
	fileHooks   hook.Switch
	infinite    infinite
	agents      agent.Roster
	largeOutput *wire.LargeOutput
	limits      *wire.SessionLimits
	budget      *wire.Budget
	resumed     bool // calls that an earlier process left open are to be finished
	remote      bool // a client on another machine has configured it
}

// outlet is where the goroutine of the run meets that of the session: ephemeral
// events leave from both, in one order.
type outlet struct {
	mu   sync.Mutex
	last string      // id of the last persisted event
	cuts state.Spans // what of the log was taken back
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Dir returns the session's folder.
func (s *Session) Dir() string { return s.dir }

// Closed is closed when the session has left memory.
func (s *Session) Closed() <-chan struct{} { return s.closed }

// loop is the session's goroutine. It ends when a close has been asked for and
// no run is left.
func (s *Session) loop() {
	defer s.reg.running.Done()
	idle := s.reg.idleTimer()
	defer idle.Stop()
	for !s.closing || s.run != nil || s.compacting != nil || s.parting() {
		select {
		case f := <-s.mailbox:
			f()
		case <-idle.C:
			s.expire(idle)
		}
		s.leaveWhenUnused()
	}
	s.shutdown()
	s.reg.remove(s)
	close(s.closed)
}

// do runs f on the session's goroutine, unless the session is closing.
func (s *Session) do(ctx context.Context, f func() error) error {
	return s.post(ctx, func() error {
		if s.closing {
			return s.gone()
		}
		s.used = time.Now()
		return f()
	})
}

// post runs f on the session's goroutine, also while a run is winding down.
func (s *Session) post(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	select {
	case s.mailbox <- func() {
		err := s.guard(f)
		s.releaseWhenIdle() // before anybody hears of it
		done <- err
	}:
		err := <-done
		s.flush()
		return err
	case <-s.closed:
		return s.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// guard keeps the session alive through a panic in one command.
func (s *Session) guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "session", s.id, "panic: %v", p)
			s.logs.Error("a command panicked", "panic", fmt.Sprint(p), "stack", stack())
		}
	}()
	return f()
}

func (s *Session) gone() error { return wire.SessionNotFound(s.id) }

// record appends events to the log, told to everybody once they are stored, and
// folds them in. After a failure of the log nothing more can be recorded: the
// session stays readable and each command says why; when its clients have left, a
// resume opens it anew.
func (s *Session) record(data ...wire.Data) error { return s.recordFor("", data...) }

// recordFor is record for events of a thread: agentID is that of the sub-agent, "" for
// the main agent and for events of the session as a whole.
func (s *Session) recordFor(agentID string, data ...wire.Data) error {
	if s.broken != nil {
		return s.broken
	}
	if err := s.claim(); err != nil {
		return err
	}
	batch, lines, err := s.encode(agentID, data)
	if err != nil {
		return err
	}
	if err := s.store(batch, lines); err != nil {
		return err
	}
	for _, e := range batch {
		s.state.Apply(s.state.Seq+1, e)
		if e.Type == "tool.execution_complete" {
			s.external.acknowledge(callKey{e.AgentID, wire.Raw(e.Data).Get("toolCallId").Text()}, nil)
		}
	}
	s.situate()
	s.note()
	if s.run == nil && batch[0].Type != "session.start" { // that is told as created
		s.reg.Publish(s.lifecycle(wire.LifecycleUpdated))
	}
	return nil
}

// situate makes where the session works known to its other goroutines.
func (s *Session) situate() {
	if at := s.at.Load(); at == nil || *at != s.state.Cwd {
		cwd := s.state.Cwd
		s.at.Store(&cwd)
	}
}

// encode makes events that follow the last one, and their lines in the log. The
// fold reads the same bytes of data that the log holds.
func (s *Session) encode(agentID string, data []wire.Data) (batch []wire.Event, lines [][]byte, err error) {
	now, parent := time.Now(), s.state.LastID
	for _, d := range data {
		body, err := wire.Marshal(d)
		if err == nil && !wire.KindOf(d.Type(), wire.Raw(body)).Persisted() {
			err = errors.New("events of this type are not persisted")
		}
		if err != nil {
			return nil, nil, fault.New(fault.Internal, "session.record", s.id, "a %s event: %w", d.Type(), err)
		}
		e := wire.Event{Header: wire.Header{ID: wire.NewID(), ParentID: parent, Time: now, AgentID: agentID, Type: d.Type()}, Data: body}
		parent = e.ID
		batch = append(batch, e)
		lines = append(lines, wire.AppendEvent(nil, &e))
	}
	return batch, lines, nil
}

// store appends lines to the log. An ephemeral event that is sent after them has the last
// of them as its parent, and none has before they are stored. No context cancels it: what
// is recorded does not depend on who still waits for it. After a failure nothing more
// is stored, and a run ends: whatever it waits for could not be recorded.
func (s *Session) store(batch []wire.Event, lines [][]byte) error {
	err := s.log.AppendWith(context.Background(), s.log.Len(), mustSync(batch), func(publish func()) {
		s.out.mu.Lock()
		defer s.out.mu.Unlock()
		publish()
		s.out.last = batch[len(batch)-1].ID
	}, lines...)
	switch {
	case err == nil || fault.KindOf(err) == fault.Invalid: // an event that is too long harms no other
	case s.own.hold.Err() != nil: // the next command claims again
		s.loseClaim()
	default:
		s.broken = err
		s.logs.Error("the session's log cannot be written", "err", err)
		if s.run != nil {
			s.run.cancel(err)
		}
	}
	return err
}

// mustSync reports whether one of the events is to be on disk before it is sent to anybody.
func mustSync(batch []wire.Event) bool {
	return slices.ContainsFunc(batch, func(e wire.Event) bool { return wire.KindOf(e.Type, wire.Raw(e.Data)).Synced() })
}

// note tells the lists what has become of the session, unless it works: a run is noted
// when it ends.
func (s *Session) note() {
	if s.run == nil {
		s.reg.Put(s.id, s.state.Outline, s.state.Name.Name, s.log.Size(), s.state.Modified)
	}
}

// emit tells an ephemeral event to who is listening, and returns its id. It
// reaches a client who is far behind, too: programs wait for it.
func (s *Session) emit(data wire.Data) string { return s.emitFor("", data) }

// emitFor is emit for an event of a thread, as [Session.recordFor] says.
func (s *Session) emitFor(agentID string, data wire.Data) string {
	return s.sayFor(agentID, data, true)
}

// say tells an ephemeral event; keep says whether a client who is far behind
// must get it.
func (s *Session) say(data wire.Data, keep bool) string { return s.sayFor("", data, keep) }

// sayFor is say for an event of a thread.
func (s *Session) sayFor(agentID string, data wire.Data, keep bool) string {
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	line, id := s.ephemeral(agentID, data)
	if line != nil {
		s.log.Emit(line, keep)
	}
	return id
}

// ephemeral makes an ephemeral event of a thread; nil if it cannot be encoded. The caller
// holds s.out.mu until it has sent the event.
func (s *Session) ephemeral(agentID string, data wire.Data) (line []byte, id string) {
	body, err := wire.Marshal(data)
	if err != nil {
		s.logs.Error("an event cannot be encoded", "type", data.Type(), "err", err)
		return nil, ""
	}
	e := wire.Event{
		Header: wire.Header{ID: wire.NewID(), ParentID: s.out.last, Time: time.Now(), Ephemeral: true, AgentID: agentID, Type: data.Type()}, Data: body,
	}
	return wire.AppendEvent(nil, &e), e.ID
}

// tell records an event, or, if the log cannot be written any more, tells it to
// who is listening: an error nobody hears of would be a hang.
func (s *Session) tell(data wire.Data) {
	if s.record(data) != nil {
		s.emit(data)
	}
}

func (s *Session) lifecycle(kind string) wire.Lifecycle {
	return wire.Lifecycle{Type: kind, SessionID: s.id, Metadata: &wire.LifecycleMetadata{
		StartTime: wire.FormatTime(s.state.Started), ModifiedTime: wire.FormatTime(s.state.Modified), Summary: s.state.Label(),
	}}
}

// Provider is where a session's model calls go.
type Provider struct {
	Endpoint model.Endpoint
	// Model is the name to use when the session names none; empty: the first
	// that the endpoint lists.
	Model string
	// AgentToken is the GitHub token that is sent to Model, and nowhere else, if that
	// is an agent; empty: none is. Only that of a process counts: what a client brings
	// has the token in Endpoint.
	AgentToken string
	// ContextTokens is the size of the context window, 0 if not configured.
	ContextTokens int64
	// Missing is why there is no provider; nil if there is one.
	Missing error
}
