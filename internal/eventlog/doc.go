// Package eventlog stores the events of a session in an append-only log, with a cursor for
// each reader. All state of a session is computed from the log.
//
// A [Store] keeps the logs of all sessions, a [Stream] is one of them; package files stores
// them as JSONL, and package logtest has the tests that every implementation passes. A [Log]
// is a stream that is open in this process, with its live readers. One owner appends. Any
// number of readers each hold a [Tail], or read pages with a [Pager] and a cursor that they
// keep.
//
// # To add a store
//
// A second technology is a package next to files that implements [Store], [Stream] and [Lease]
// and passes logtest. app/wiring opens it, with a store of package workspace for the other files
// of sessions; config has its settings, arch_test.go the list of modules, app/doctor_checks.go
// (checkHome) checks a folder, and session/stopping.go gives hooks the path of a log file.
// Repair, verification and import remain for files alone: wiring.Stored and OpenStore have the
// type *files.Store, so app/sessions/verify.go and import.go have to refuse another store; the
// ids that commands take are checked in app/wiring/stored.go (CheckID), with the rules of package
// files.
//
// That is a store which the program opens for all sessions. Package clientfs is of another sort:
// the storage of one client, for its sessions. Package session tells the two apart in
// session/storage.go.
//
// Two more places take for granted that sessions are on this machine: what makes a session one of
// ours (Vault of package approval, which registry, and WorkedIn and Disown in app/wiring/stored.go, open as a file), so that one that moves between
// machines needs a shared one, and sessions.getEventFilePath of package server, which makes the path
// of a log file.
//
// # Two kinds of events
//
// Persisted records have a position, Pos, counted from 1 without gaps. They are stored first
// and published afterwards: a record that a reader has got survives the process and, if it
// was appended durably, a power failure.
//
// Ephemeral records are published to the current readers and never stored. They have no
// position of their own and carry the Pos of the persisted record before them. So a reader
// continues from the Pos of the last record that it handled, persisted or ephemeral.
//
// # Positions and sequences
//
// A position is the number of a record in the log of one session. A store may number its
// records in another way, such as one sequence with gaps for all sessions. Such a sequence
// is private to the store: no method takes or returns one, and a store that has to find a
// position by its sequence keeps the mapping itself.
//
// # Several processes
//
// A session may be open in several processes, one of which at a time is the owner.
// [Log.Claim] makes this process the owner and publishes here the records that others have
// appended since it last was. The right to append is a [Lease]: its owner may lose it at any
// time, and then appends nothing more. [Hold.Lost] reports that.
//
// Tails deliver the records of others with the next claim. A tail of [Log.Follow] delivers
// them as they are appended, in order, without gap or repeat, because the log watches its
// stream while there is one. Ephemeral events do not pass the log, so it gets none of those
// of another owner: a reader that waits for the end of a run, or answers requests, wants
// [Log.Tail]. The function [Follow] reads a session in the same way without opening it, and so
// without repairing its log, or being seen by others as having it open.
//
// Such a reader may get a record before the owner knows that it is stored. If the owner's
// append then fails, or power is lost, that record may be gone. Nothing is ever appended
// behind it: the next claim of a stream that knows it is a Conflict, as is the end of Follow.
//
// # What a reader may rely on
//
//  1. Every persisted record after its cursor arrives, exactly once, in order.
//  2. An ephemeral record arrives once or not at all. If it arrives, it comes between the
//     same two persisted records as when it was published.
//  3. Several deltas of one message may arrive joined into one. Text is neither changed nor
//     moved, and none is left out unless [Tail.Missed] increased.
//  4. When the log closes, everything published before arrives first.
//
// # What the owner may rely on
//
// Publishing waits for no reader. A tail has a queue of at most [Options.Lag] records. When
// it overflows, records are dropped from memory: the tail reads persisted ones from storage
// later, and counts ephemeral ones as missed, except the few that were emitted with keep. A
// reader that never reads again keeps at most one full queue in memory.
//
// An idle log with idle tails takes about 400 bytes, no goroutine and no timer: queues exist
// only while they are not empty.
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
