package eventlog

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Options configures [NewLog]. The zero value is right.
type Options struct {
	// Lag is how many records a reader may fall behind before its queue is
	// emptied and it reads from storage instead. The default, also for anything below
	// 1, is 1,024. A queue is also emptied before it holds more than 4 MiB.
	Lag int
}

const defaultLag = 1024

// Log is the log of a session that is open in this process: a [Stream] and its
// live readers. It is safe for concurrent use. It starts no goroutine.
type Log struct {
	stream Stream
	lag    int
	run    uint64 // a number of this opening of the log: counts of one opening mean nothing in another

	writing sync.Mutex // held while records are stored and published, so that both have one order
	lease   Lease      // guarded by writing; nil without a claim

	watching sync.Mutex // held while a watch of stream begins or ends
	unwatch  func()     // guarded by watching; ends the watch, nil if there is none

	mu        sync.Mutex // guards the rest, and the queues of tails; never held across I/O
	published uint64     // position of the last record published
	passed    uint64     // ephemeral events published
	tails     []*Tail
	followers int    // those of tails that follow
	grew      uint64 // what the store has reported that others have appended, up to a position
	users     int    // tails, and reads under way: after Close, the last one closes stream
	closed    bool
}

// NewLog returns a Log over s. From here on only the Log may use s.
func NewLog(s Stream, opts Options) *Log {
	lag := opts.Lag
	if lag < 1 {
		lag = defaultLag
	}
	return &Log{stream: s, lag: lag, run: rand.Uint64(), published: s.Len()}
}

// Append stores recs behind the record at position at, then publishes them to the
// tails, in that order: a reader can rely on the records that it has received. If it fails, it
// publishes nothing and returns [ErrClosed] or an error of [Lease.Append];
// [fault.Conflict] without a claim.
//
// A record that is longer than [MaxRecord] is stored as a payload. [fault.Invalid] if
// it is longer than [MaxPayload].
//
// Tails keep recs: do not modify them afterwards.
func (l *Log) Append(ctx context.Context, at uint64, durable bool, recs ...[]byte) error {
	return l.AppendWith(ctx, at, durable, func(publish func()) { publish() }, recs...)
}

// AppendWith is [Log.Append] for a caller that changes something of its own at the
// moment in which the records are published: it calls around when they are stored, and
// around calls publish once. around must not append, claim or close: that would
// wait for itself.
func (l *Log) AppendWith(ctx context.Context, at uint64, durable bool, around func(publish func()), recs ...[]byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	switch {
	case l.isClosed():
		return ErrClosed
	case l.lease == nil:
		return fault.New(fault.Conflict, "eventlog.Append", "", "the session is not claimed")
	}
	stored, err := l.store(ctx, recs)
	if err != nil {
		return err
	}
	if err := l.lease.Append(ctx, at, stored, durable); err != nil {
		return err
	}
	around(func() { l.publishPersisted(recs...) })
	return nil
}

// publishPersisted publishes records that are stored.
func (l *Log) publishPersisted(recs ...[]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, rec := range recs {
		l.published++
		l.publish(Record{Pos: l.published, JSON: rec})
	}
}

// Emit publishes an event that is not stored. keep is for events that readers wait
// for, such as the end of a run: it stays in the queue of a reader that is far
// behind, where all other ephemeral events are dropped. The queue of a reader that
// never reads holds at most 1,024 of them or 4 MiB; then the oldest are dropped.
//
// Tails keep json: do not modify it afterwards. On a closed log Emit does
// nothing.
func (l *Log) Emit(json []byte, keep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passed++
	l.publish(Record{Pos: l.published, Ephemeral: true, Kept: keep, JSON: json})
}

// EmitDelta publishes a streaming delta, stamped once for all tails. Each tail copies its text. A delta
// that the reader has not taken when the next one comes is joined with it, if
// [wire.Delta.Join] allows that. On a closed log EmitDelta does nothing.
func (l *Log) EmitDelta(d wire.Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.passed += 1 + uint64(d.Joined)
	for _, t := range l.tails {
		if !t.join(&d) {
			d.Stamp()
			t.push(Record{Pos: l.published, Ephemeral: true, Delta: newDelta(&d)})
		}
	}
}

// publish hands rec to every tail. The caller holds l.mu.
func (l *Log) publish(rec Record) {
	if l.closed {
		return
	}
	for _, t := range l.tails {
		t.push(rec)
	}
}

// Tail subscribes a reader that has handled the records up to position after, 0 for
// none. Everything that is published from this call on will reach it, however late it
// begins to range over [Tail.Records].
func (l *Log) Tail(after uint64) *Tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tail(after)
}

// tail is Tail for a caller that holds l.mu.
func (l *Log) tail(after uint64) *Tail {
	t := &Tail{log: l, wake: make(chan struct{}, 1), cursor: after, upTo: l.published, passed: l.passed}
	if l.closed {
		t.ended = true
		return t
	}
	l.users++
	l.tails = append(l.tails, t)
	return t
}

// Read yields the persisted records from position from (1 is the first) to
// the one that was the last when Read was called, as complete events. On a closed
// log the only pair is [ErrClosed].
func (l *Log) Read(ctx context.Context, from uint64) iter.Seq2[Record, error] {
	records := l.stream.Read(ctx, from)
	return func(yield func(Record, error) bool) {
		if !l.use() {
			yield(Record{}, ErrClosed)
			return
		}
		defer l.leave()
		for rec, err := range records {
			if err == nil {
				err = l.complete(ctx, &rec)
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

// Len is how many persisted records were published: the position of the last.
func (l *Log) Len() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.published
}

// Size is [Stream.Size].
func (l *Log) Size() int64 { return l.stream.Size() }

// Close ends the log and its claim. It waits for an Append or Claim under way and for
// nothing else: tails continue until they have delivered what was published, and
// the last of them closes the stream. If there are no tails, and no reads under way,
// Close closes the stream and returns its error. A second Close does nothing.
func (l *Log) Close() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	again := l.closed
	l.closed = true
	for _, t := range l.tails {
		t.signal()
	}
	unused := l.users == 0
	if !again && !unused {
		l.users++ // the last tail must not close the stream while the claim is being released
	}
	l.mu.Unlock()
	l.watch()
	switch {
	case again:
		return nil
	case !unused:
		l.release()
		l.leave()
		return nil
	}
	return l.stream.Close()
}

func (l *Log) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// use keeps the stream open until leave. It reports false if the log is closed.
func (l *Log) use() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.users++
	return true
}

// leave ends a use; the last one on a closed log closes the stream.
func (l *Log) leave() {
	l.mu.Lock()
	l.users--
	last := l.closed && l.users == 0
	l.mu.Unlock()
	if last {
		_ = l.stream.Close() // only reads are left to fail, and there are none
	}
}

// remove takes t off the tails. The caller holds l.mu.
func (l *Log) remove(t *Tail) {
	if i := slices.Index(l.tails, t); i >= 0 {
		l.tails = slices.Delete(l.tails, i, i+1)
		if t.follows {
			l.followers--
		}
	}
}
