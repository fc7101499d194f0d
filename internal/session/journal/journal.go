package journal

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Host is the session around a journal: what follows from what is recorded, and what works
// under the claim. Its methods are called on the session's goroutine, or while the session is
// opened, except for Settle.
type Host interface {
	// Recorded is called after events were stored and sent, and have changed the state.
	Recorded(batch []wire.Event)
	// Carried is called after each command. Settle waits until what Carried has started is
	// done, or ctx ends; it is called on the goroutine of the caller of a command.
	Carried()
	Settle(ctx context.Context)
	// Claimed closes what is open and nothing finishes. It is called with each claim. news says
	// that another process has recorded something since the last one. After an error the claim
	// stays, and the command fails.
	Claimed(news bool) error
	// Deleted is called when another process has deleted the session, which then closes and
	// writes nothing more.
	Deleted()
	// Busy reports whether something works under the claim: a run, or a compaction.
	Busy() bool
	// LogBroken ends a run, because nothing can be recorded any more.
	LogBroken(why error)
	// ClaimLost ends a run and a compaction, because the claim that they worked under is lost. It
	// reports whether there is a run, which calls [Journal.Rest] when it has ended.
	ClaimLost(why error) (run bool)
}

// Running counts goroutines that the process waits for. Each Hold is followed by a Release.
type Running interface {
	Hold()
	Release()
}

// Options are what a journal is made of.
type Options struct {
	ID      string // of the session
	Host    Host
	Secrets *obs.Redactor // what no event may contain; more may be added at any time
	Logger  *slog.Logger
	Running Running // of the process
	// StartID returns the id of the event session.start, which shows that this machine has made
	// the session. started is the time in that event, cwd its folder.
	StartID func(started, cwd string) (string, error)
}

// Journal is the log of a session, with its state. Create one with [New].
type Journal struct {
	opts Options
	log  *eventlog.Log
	mail *mailbox.Mailbox
	out  outlet
	at   atomic.Pointer[string] // the working directory

	// The rest belongs to the session's goroutine.
	state   state.State
	own     ownership
	broken  error // why nothing can be recorded any more; nil if it can
	closing bool
	used    time.Time // when the last command came or the last run ended
}

var _ state.Recorder = (*Journal)(nil)

// outlet orders the ephemeral events that the goroutine of the run and that of the session
// send.
type outlet struct {
	mu   sync.Mutex
	last string      // id of the last persisted event
	cuts state.Spans // history that was removed from the session
}

// New returns the journal of an open log, without the claim. Nothing is read yet: see
// [Journal.Replay].
func New(stream eventlog.Stream, opts Options) *Journal {
	return &Journal{opts: opts, log: eventlog.NewLog(stream, eventlog.Options{}), mail: mailbox.New(), used: time.Now()}
}

// Secrets are what no event may contain: those of the process, and of the providers of clients.
// Any goroutine may add to them.
func (j *Journal) Secrets() *obs.Redactor { return j.opts.Secrets }

// Logger is the log of the process, for what concerns the session.
func (j *Journal) Logger() *slog.Logger { return j.opts.Logger }

// State implements [state.Recorder].
func (j *Journal) State() *state.State { return &j.state }

// Cwd returns the working directory; "" before the first event was recorded or replayed. Any
// goroutine may call it.
func (j *Journal) Cwd() string {
	if at := j.at.Load(); at != nil {
		return *at
	}
	return ""
}

// shareCwd makes the working directory known to the session's other goroutines.
func (j *Journal) shareCwd() {
	if at := j.at.Load(); at == nil || *at != j.state.Cwd {
		cwd := j.state.Cwd
		j.at.Store(&cwd)
	}
}

// Record implements [state.Recorder]. After a failure of the log nothing more can be recorded:
// the session stays readable, and each command returns the reason. When its clients have left,
// a resume opens it anew.
func (j *Journal) Record(agentID string, data ...wire.Data) error {
	return j.RecordAfter(func() {}, agentID, data...)
}

// MayRecord claims the log, or returns why nothing can be recorded in it.
func (j *Journal) MayRecord() error {
	if j.broken != nil {
		return j.broken
	}
	return j.Claim()
}

// RecordAfter is Record that calls stored once the events are stored, and before any
// client is sent them. stored must not write to the log. Without events it does nothing.
func (j *Journal) RecordAfter(stored func(), agentID string, data ...wire.Data) error {
	if len(data) == 0 {
		return nil
	}
	if err := j.MayRecord(); err != nil {
		return err
	}
	batch, lines, err := j.encode(agentID, data)
	if err != nil {
		return err
	}
	if err := j.store(batch, lines, stored); err != nil {
		return err
	}
	for _, e := range batch {
		j.state.Apply(j.state.Seq+1, e)
	}
	j.shareCwd()
	j.opts.Host.Recorded(batch)
	return nil
}

// encode makes events that follow the last one, and their lines in the log. The
// fold reads the same bytes of data that the log holds.
func (j *Journal) encode(agentID string, data []wire.Data) (batch []wire.Event, lines [][]byte, err error) {
	now, parent := time.Now(), j.state.LastID
	for _, d := range data {
		body, err := wire.Marshal(d)
		body = j.redacted(d.Type(), body)
		if err == nil && !wire.KindOf(d.Type(), wire.Raw(body)).Persisted() {
			err = errors.New("events of this type are not persisted")
		}
		if err != nil {
			return nil, nil, fault.New(fault.Internal, "session.record", j.opts.ID, "a %s event: %w", d.Type(), err)
		}
		e := wire.Event{Header: wire.Header{ID: j.opts.newID(d.Type(), body), ParentID: parent, Time: now, AgentID: agentID, Type: d.Type()}, Data: body}
		parent = e.ID
		batch = append(batch, e)
		lines = append(lines, wire.AppendEvent(nil, &e))
	}
	return batch, lines, nil
}

// newID returns the id of an event. That of session.start shows that this machine has made the
// session; see [Options].StartID.
func (o *Options) newID(t wire.EventType, body []byte) string {
	if t != "session.start" {
		return wire.NewID()
	}
	origin := state.OriginOf("", wire.Raw(body))
	id, err := o.StartID(origin.Started, origin.Cwd)
	if err != nil {
		o.Logger.Warn("a resume will not know that this machine has made the session", "err", err)
		return wire.NewID()
	}
	return id
}

// store appends lines to the log. An ephemeral event that is sent after them has the last
// of them as its parent, and none has before they are stored. No context cancels it: what
// is recorded does not depend on a caller that still waits for it. After a failure nothing more
// is stored, and a run ends, because the event that it waits for could not be recorded.
func (j *Journal) store(batch []wire.Event, lines [][]byte, stored func()) error {
	ctx, done := bounded(j.log.Keeping().AppendWait)
	defer done()
	err := j.log.AppendWith(ctx, j.log.Len(), mustSync(batch), func(publish func()) {
		j.out.mu.Lock()
		defer j.out.mu.Unlock()
		stored()
		publish()
		j.out.last = batch[len(batch)-1].ID
	}, lines...)
	err = j.opts.late(err, "resume the session again when no client is attached to it")
	switch {
	case err == nil || fault.KindOf(err) == fault.Invalid: // an event that is too long harms no other
	case j.own.hold.Err() != nil: // the next command claims again
		j.LoseClaim()
	default:
		j.broken = err
		j.opts.Logger.Error("the session's log cannot be written", "err", err)
		j.opts.Host.LogBroken(err)
	}
	return err
}

// mustSync reports whether one of the events must be on disk before it is sent to clients.
func mustSync(batch []wire.Event) bool {
	for i := range batch {
		if wire.KindOf(batch[i].Type, wire.Raw(batch[i].Data)).Synced() {
			return true
		}
	}
	return false
}

// RecordOrEmit implements [state.Recorder].
func (j *Journal) RecordOrEmit(agentID string, data wire.Data) {
	if j.Record(agentID, data) != nil {
		j.Emit(agentID, data)
	}
}

// Broken is why nothing can be recorded any more; nil if it can.
func (j *Journal) Broken() error { return j.broken }

// Break has nothing more recorded, because of why. It has no effect once the journal is broken.
func (j *Journal) Break(why error) {
	if j.broken == nil {
		j.broken = why
	}
}

// Tail subscribes a reader, as [eventlog.Log.Tail].
func (j *Journal) Tail(after uint64) *eventlog.Tail { return j.log.Tail(after) }

// Follow subscribes a reader that gets the records of others, too, as [eventlog.Log.Follow].
func Follow(j *Journal, after uint64) *eventlog.Tail { return j.log.Follow(after) }

// Pager returns a reader in pages, as [eventlog.Log.Pager].
func (j *Journal) Pager() *eventlog.Pager { return j.log.Pager() }

// Read yields records, as [eventlog.Log.Read].
func (j *Journal) Read(ctx context.Context, from uint64) iter.Seq2[eventlog.Record, error] {
	return j.log.Read(ctx, from)
}

// Len is the position of the last record; 0 if there is none.
func (j *Journal) Len() uint64 { return j.log.Len() }

// Size is the size of the log in bytes.
func (j *Journal) Size() int64 { return j.log.Size() }

// Close gives the claim back and closes the log. Tails end after what they have not read yet.
func (j *Journal) Close() error {
	j.ForgetClaim()
	return j.Guard(j.log.Close)
}
