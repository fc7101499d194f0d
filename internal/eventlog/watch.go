package eventlog

import (
	"context"
	"iter"
)

// Follow is [Log.Tail] for a reader that also wants what other owners append before this log
// claims it. after may lie behind what this log has published.
//
// Ephemeral events of other owners do not pass the log, so the reader gets none of them. Those
// of this log come in no order with what others append. So Follow is for readers that do not
// wait for the end of a run, and answer no requests: they cannot tell whose they are.
//
// Where the store cannot tell that others append, it is the same as Tail.
func (l *Log) Follow(after uint64) *Tail {
	known := l.stream.Len()
	defer l.watch()
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.tail(after)
	if !t.ended {
		t.follows, t.stored = true, l.grew
		t.upTo = max(t.upTo, min(after, known))
		l.followers++
	}
	return t
}

// watch begins to watch the stream if somebody follows the log, and ends that if nobody does.
func (l *Log) watch() {
	l.watching.Lock()
	defer l.watching.Unlock()
	l.mu.Lock()
	wanted, published := l.followers > 0 && !l.closed, l.published
	l.mu.Unlock()
	switch {
	case wanted && l.unwatch == nil:
		l.unwatch, _ = l.stream.Watch(published, l.grown)
	case !wanted && l.unwatch != nil:
		l.unwatch()
		l.unwatch = nil
	}
}

// grown tells the tails that follow what others have appended, up to a position. They read
// it from storage. The next claim publishes it, in order with what is appended here.
func (l *Log) grown(length uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.grew = max(l.grew, length)
	for _, t := range l.tails {
		if t.follows {
			t.stored = l.grew
			t.signal()
		}
	}
}

// Follow is [Store.Follow] that yields complete events: a record that stands for a payload is
// replaced by that payload.
func Follow(ctx context.Context, store Store, session string, after uint64) iter.Seq2[Record, error] {
	return completed(ctx, store, session, store.Follow(ctx, session, after))
}
