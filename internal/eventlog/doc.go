// Package eventlog is the truth about a session: an append-only log of its
// events, and for each reader a cursor on it.
//
// A [Store] keeps the logs of all sessions, a [Stream] one of them; package
// files keeps them as JSONL, and package logtest is the suite that every
// implementation passes. A [Log] is a stream that is open in this process,
// plus its live readers. One owner appends; any number of readers each hold a
// [Tail], or ask for pages with a [Pager] and a cursor that they keep.
//
// # Two sorts of events
//
// Persisted records have a position, Seq, counted from 1 without a hole. They
// are stored, then told: what a reader has seen survives the process, and, if
// appended durably, the machine.
//
// Ephemeral records are told to whoever listens and forgotten. They have no
// position of their own and carry the Seq of the persisted record before them.
// So one rule serves a reader of both: the Seq of the last record handled is
// the cursor to go on from.
//
// # Several processes
//
// A session may be open in several processes. They take turns: [Log.Claim] makes
// one of them the owner, and publishes there what the others have recorded since
// its last turn. A tail hears of it in order, without gap or repeat, as if it had
// been recorded here, but not before.
//
// # What a reader may rely on
//
//  1. Every persisted record after its cursor arrives, exactly once, in order.
//  2. An ephemeral record arrives once or not at all, and if it arrives, between
//     the same two persisted records where it was told.
//  3. Of the deltas of one message, several may arrive joined into one. Text is
//     neither changed nor moved, and none is left out unless [Tail.Missed] grew.
//  4. When the log closes, everything told before arrives first.
//
// # What the owner may rely on
//
// Publishing waits for nobody. A tail has a queue of at most [Options.Lag]
// records. What overflows is dropped from memory: persisted records are read
// from storage when the reader comes to them, ephemeral ones are counted as
// missed, but for the few that were emitted to be kept. A reader that stopped for good holds one such queue and no more.
//
// An idle log with idle tails costs some 400 bytes, no goroutine and no timer:
// queues exist while something is in them.
//
//	l := eventlog.NewLog(stream, eventlog.Options{})
//	tail := l.Tail(cursor) // nothing told from here on is overlooked
//	defer tail.Close()
//	for rec, err := range tail.Records(ctx) {
//		if err != nil {
//			return err // ctx.Err(), ErrClosed, or storage failed
//		}
//		buf = rec.AppendJSON(buf[:0])
//		...
//		cursor = rec.Seq
//	}
package eventlog
