package eventlog

import (
	"iter"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Options configures [NewLog]. The zero value is right.
type Options struct {
	// Lag is how many records a reader may fall behind before its queue is
	// emptied and it is sent to storage. Default, and for anything below 1:
	// 1,024. A queue is also emptied before it holds more than 4 MiB.
	Lag int
}

const defaultLag = 1024

// Log is the log of a session that is open in this process: a [Stream] and its
// live readers. It is safe for concurrent use. It starts no goroutine.
type Log struct {
	stream Stream
	lag    int
	run    uint64 // differs from opening to opening: what is counted in one means nothing in another

	writing sync.Mutex // held from storing until told, so that both have one order

	mu     sync.Mutex // guards the rest, and the queues of tails; never held across I/O
	told   uint64     // Seq of the last record published
	passed uint64     // ephemeral events published
	tails  []*Tail
	users  int // tails, and reads under way: who is last, after closed, closes stream
	closed bool
}

// NewLog returns a Log over s, and from here on only the Log may use s.
func NewLog(s Stream, opts Options) *Log {
	lag := opts.Lag
	if lag < 1 {
		lag = defaultLag
	}
	return &Log{stream: s, lag: lag, run: rand.Uint64(), told: s.Len()}
}

// Append stores recs after record at, then publishes them to the tails, in that
// order: who hears of a record can rely on it. It returns without publishing
// the errors of [Stream.Append], or [ErrClosed].
//
// Tails keep recs: do not modify them afterwards.
func (l *Log) Append(at uint64, durable bool, recs ...[]byte) error {
	return l.AppendTelling(at, durable, func(publish func()) { publish() }, recs...)
}

// AppendTelling is [Log.Append] for who has something to change in the moment in which
// the records are published: tell is called when they are stored, and calls publish
// once. It may not append, claim or close meanwhile: that would wait for itself.
func (l *Log) AppendTelling(at uint64, durable bool, tell func(publish func()), recs ...[]byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.isClosed() {
		return ErrClosed
	}
	if err := l.stream.Append(at, recs, durable); err != nil {
		return err
	}
	tell(func() { l.tell(recs...) })
	return nil
}

// tell publishes records that are stored.
func (l *Log) tell(recs ...[]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, rec := range recs {
		l.told++
		l.publish(Record{Seq: l.told, JSON: rec})
	}
}

// Emit publishes an event that is not stored. keep is for what a reader waits
// for, such as the end of a run: it stays in the queue of a reader who is far
// behind, where all else that is ephemeral is dropped. A reader who never reads
// holds at most 1,024 of them or 4 MiB; then the oldest go.
//
// Tails keep json: do not modify it afterwards. On a closed log Emit does
// nothing.
func (l *Log) Emit(json []byte, keep bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passed++
	l.publish(Record{Seq: l.told, Ephemeral: true, Kept: keep, JSON: json})
}

// EmitDelta publishes a streaming delta. Each tail copies its text; a delta
// that the reader has not taken when the next comes is joined with that, if
// [wire.Delta.Join] says so. On a closed log it does nothing.
func (l *Log) EmitDelta(d wire.Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.passed += 1 + uint64(d.Joined)
	for _, t := range l.tails {
		if !t.join(&d) {
			t.push(Record{Seq: l.told, Ephemeral: true, Delta: newDelta(&d)})
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

// Tail subscribes a reader that has handled the records up to after, 0 for
// none: whatever is published from this call on will reach it, however late it
// begins to range over [Tail.Records].
func (l *Log) Tail(after uint64) *Tail {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &Tail{log: l, wake: make(chan struct{}, 1), cursor: after, upTo: l.told, passed: l.passed}
	if l.closed {
		t.gone = true
		return t
	}
	l.users++
	l.tails = append(l.tails, t)
	return t
}

// Read yields the persisted records from position from (1 is the first) to
// what was the last when Read was called, as [Stream.Read] does. On a closed
// log the only pair is [ErrClosed].
func (l *Log) Read(from uint64) iter.Seq2[Record, error] {
	records := l.stream.Read(from)
	return func(yield func(Record, error) bool) {
		if !l.hold() {
			yield(Record{}, ErrClosed)
			return
		}
		defer l.release()
		records(yield)
	}
}

// Len is how many persisted records were published: the Seq of the last.
func (l *Log) Len() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.told
}

// Size is what the persisted records take in storage, in bytes.
func (l *Log) Size() int64 { return l.stream.Size() }

// Close ends the log and gives back the claim. It waits for an Append or Claim
// under way and for nobody else: tails go on until they have delivered what was
// published, and the stream is closed with the last of them. Without tails, or
// reads under way, it is closed now, and Close returns its error. A second Close
// does nothing.
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
	l.mu.Unlock()
	switch {
	case again:
		return nil
	case !unused:
		l.stream.Release()
		return nil
	}
	return l.stream.Close()
}

func (l *Log) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// hold keeps the stream open until release, or reports that the log is closed.
func (l *Log) hold() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.users++
	return true
}

// release gives up a hold; the last one on a closed log closes the stream.
func (l *Log) release() {
	l.mu.Lock()
	l.users--
	last := l.closed && l.users == 0
	l.mu.Unlock()
	if last {
		_ = l.stream.Close() // only reads are left to fail, and there are none
	}
}

// leave takes t off the tails. The caller holds l.mu.
func (l *Log) leave(t *Tail) {
	if i := slices.Index(l.tails, t); i >= 0 {
		l.tails = slices.Delete(l.tails, i, i+1)
	}
}
