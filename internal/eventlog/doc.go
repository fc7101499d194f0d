// Package eventlog keeps what happened in a session: an append-only log of its
// events, and for each reader a cursor on it. The log is the truth about the session.
//
// A [Store] keeps the logs of all sessions, a [Stream] is one of them; package
// files stores them as JSONL, and package logtest has the tests that every
// implementation passes. A [Log] is a stream that is open in this process, with
// its live readers. One owner appends. Any number of readers each hold a
// [Tail], or read pages with a [Pager] and a cursor that they keep.
//
// # Files
//
// For stores: store.go and lease.go are the contract, payload.go keeps long events
// beside the log. For the log: log.go opens, appends and publishes, claim.go takes
// turns with other processes, record.go is one event. For readers: tail.go delivers,
// queue.go holds what a tail has not delivered yet, pager.go and page.go read pages,
// parked.go keeps tails between pages, cursor.go is what a client keeps.
//
// # To add a store
//
// A second technology is a package beside files that implements [Store], [Stream] and
// [Lease] and passes logtest. app/wiring opens it (parts.go, stored.go), with a store of
// package workspace for what sessions keep beside their logs; config has its settings.
// Repair, verification and import of files stay in package files and in
// app/sessions (verify.go, import.go).
//
// # Two sorts of events
//
// Persisted records have a position, Pos, counted from 1 without a hole. They
// are stored first and published afterwards: what a reader has seen survives the
// process, and, if it was appended durably, a loss of power.
//
// Ephemeral records are published to the readers of that moment and never stored.
// They have no position of their own and carry the Pos of the persisted record before
// them. So readers of both sorts continue from the Pos of the last record handled.
//
// # Positions and sequences
//
// A position is the place of a record in the log of one session. A store may number
// what it keeps in another way, such as one sequence for all sessions, with holes. Such
// a sequence is private to the store: no method takes or returns one, and a store that
// needs to find a position by its sequence keeps the mapping itself.
//
// # Several processes
//
// A session may be open in several processes, which take turns. [Log.Claim] makes
// one of them the owner and publishes there what the others have recorded since
// its last turn. Its tails deliver that in order, without gap or repeat, but not
// before the claim. The claim is a [Lease]: its owner may lose it at any time, and then
// appends nothing more. [Hold.Lost] says so.
//
// # What a reader may rely on
//
//  1. Every persisted record after its cursor arrives, exactly once, in order.
//  2. An ephemeral record arrives once or not at all. If it arrives, it stands between
//     the same two persisted records as when it was published.
//  3. Several deltas of one message may arrive joined into one. Text is
//     neither changed nor moved, and none is left out unless [Tail.Missed] grew.
//  4. When the log closes, everything published before arrives first.
//
// # What the owner may rely on
//
// Publishing waits for no reader. A tail has a queue of at most [Options.Lag]
// records. When it overflows, records are dropped from memory: the tail reads persisted
// ones from storage later, and counts ephemeral ones as missed, except the few that
// were emitted to be kept. A reader that has stopped for good holds one such queue and
// no more.
//
// An idle log with idle tails costs some 400 bytes, no goroutine and no timer:
// queues exist while something is in them.
//
//	l := eventlog.NewLog(stream, eventlog.Options{})
//	tail := l.Tail(cursor) // everything published from here on will arrive
//	defer tail.Close()
//	for rec, err := range tail.Records(ctx) {
//		if err != nil {
//			return err // ctx.Err(), ErrClosed, or an error of storage
//		}
//		buf = rec.AppendJSON(buf[:0])
//		...
//		cursor = rec.Pos
//	}
package eventlog
