package eventlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// ErrClosed is the error of a closed log, of its tails and of its stream.
var ErrClosed error = &fault.Error{Op: "eventlog", Kind: fault.Unavailable, Err: errors.New("the log is closed")}

// MaxRecord bounds one record in storage, in bytes: 256 KiB. [Log.Append] takes longer
// records and keeps them as payloads; [Lease.Append] refuses them.
//
// Source: docs/decisions/0017. A store that sends records to other machines gets slow
// for all its sessions when single messages are large. On NATS JetStream, small appends
// waited up to 2 s behind messages of 16 MiB; messages of at most 512 KiB avoid that,
// and one message should hold more than one record.
const MaxRecord = 256 << 10

// MaxPayload bounds one payload, and so one event, in bytes: 64 MiB. A reader must be
// able to hold one event in memory.
const MaxPayload = 64 << 20

// Store keeps the logs of sessions, each under the id of its session. There is one
// implementation per technology. It is safe for concurrent use. A session may be
// open in several processes, which take turns; see [Stream.Claim].
//
// Session ids come from clients. Every method returns [fault.Invalid] for an id that
// the store cannot keep.
//
// # Contexts
//
// Each method that can touch storage takes a context. If the context is done when the
// method is called, nothing happens and the method returns ctx.Err(). Afterwards,
// canceling the context ends the waiting and undoes nothing: what was handed to
// storage may be stored. A method that stopped waiting for an answer from storage
// returns [fault.Unavailable]; package files always waits, because a local disk
// answers.
type Store interface {
	// Create makes an empty log. It returns [fault.Conflict] if the session has a log.
	Create(ctx context.Context, session string) (Stream, error)
	// Open opens a log for reading and writing. If the log is damaged, Open repairs
	// it first; [Stream.Notice] reports that. Under a context of [Unrepaired] it changes nothing and returns
	// [fault.Conflict].
	//
	// [fault.NotFound] if the session has no log. [fault.Conflict] if a record is
	// not the one that was stored and no crash explains the difference, or if the log
	// looks damaged while another process has claimed it and may be writing.
	Open(ctx context.Context, session string) (Stream, error)
	// Delete removes a session with everything that is stored for it, payloads
	// included, in one step: after a crash the session is complete or absent. Close
	// its stream before. [fault.NotFound] if there is no such session;
	// [fault.Conflict] if a stream has claimed it, in this process or another.
	Delete(ctx context.Context, session string) error
	// Sessions lists the sessions that have a log, in no particular order, and those of
	// which the store cannot tell: reading them reports why. It may
	// take time in proportion to their number; package catalog keeps a faster list.
	Sessions(ctx context.Context) ([]Info, error)
	// Scan yields the records of a session in the form in which they are stored, from
	// the first to the one that is last when ranging begins. Use the function [Scan]
	// for complete events.
	//
	// Scan repairs nothing and needs no permission to write. It passes over text that
	// holds no record, and works while the session is open, here or in another process.
	// If it fails, the error is the last pair; [fault.NotFound] if there is no log.
	Scan(ctx context.Context, session string) iter.Seq2[Record, error]
	// Follow yields the records of a session behind position after, in the form in which they
	// are stored: those that there are, and then each one that an owner appends, here or in
	// another process, in order and without end. Use the function [Follow] for complete events.
	//
	// Follow repairs and claims nothing, needs no permission to write, and does not count as
	// having the session open. A record may be yielded before it is durable. How long after
	// the append it is yielded, the store says.
	//
	// The last pair carries the reason for stopping: ctx.Err(); [fault.NotFound] if there is no
	// log, or the session was deleted meanwhile; [fault.Conflict] if after is past the end of
	// the log, or if something was done to the log other than appending, such as a repair, so
	// that positions may have changed; [errors.ErrUnsupported], after the records that there
	// are, if the store cannot tell that others append; or an error of storage.
	Follow(ctx context.Context, session string, after uint64) iter.Seq2[Record, error]
	// Others is [Stream.Others] for a session that need not be open here; a stream of this
	// process counts, too. [fault.NotFound] if the session has no log.
	Others(ctx context.Context, session string) (owner string, known bool, err error)
	// Payload is [Stream.Payload] for a session that need not be open.
	Payload(ctx context.Context, session, name string) ([]byte, error)
}

type unrepaired struct{}

// Unrepaired returns a context under which [Store.Open] refuses a damaged log instead of repairing it.
func Unrepaired(ctx context.Context) context.Context {
	return context.WithValue(ctx, unrepaired{}, true)
}

// RefuseRepair is the error of a log that is damaged, as why says, if it is opened under a context of
// [Unrepaired]; nil under another context, and if why is "".
func RefuseRepair(ctx context.Context, op, on, why string) error {
	if why == "" || ctx.Value(unrepaired{}) == nil {
		return nil
	}
	return &fault.Error{
		Op: op, On: on, Kind: fault.Conflict, Hint: "resume the session without it to have the log repaired; what is removed is kept in a file beside it",
		Err: fmt.Errorf("the log is damaged (%s), and allowTranscriptRecovery is false; nothing was changed", why),
	}
}

// Info is a row of [Store.Sessions].
type Info struct {
	ID       string
	Size     int64     // bytes of the log, without payloads; 0 if it cannot be looked at
	Modified time.Time // when the log was last written; zero if it cannot be looked at
}

// Stream is the stored log of one session. One goroutine at a time may call Claim and
// Close, and use the lease; any number may call the rest at any time.
type Stream interface {
	// Claim makes this stream the only one that appends, until its lease ends. owner
	// names the claimant to others, such as [ThisProcess]; a store that can learn a
	// better name from the system, as package files does, may use that one.
	//
	// Claim does not wait for another owner. It reads the records that others have appended
	// since: Len grows, and Read yields it. While the stream has a lease that is
	// neither lost nor released, Claim returns that lease and does nothing else.
	//
	// [fault.Conflict] if another stream has the claim, with the name of its owner if
	// that is known, or if the log was changed otherwise than by appending: then open
	// it again. [fault.NotFound] if the session was deleted, also if it was created
	// again since. [fault.Unavailable] if storage failed, now or at an earlier append.
	// Where the system or the storage has no claims, Claim only reads what others have appended.
	Claim(ctx context.Context, owner string) (Lease, error)
	// Others names an owner, other than this stream, that has the session open, whether
	// it has claimed it or not; "" if there is none. It returns the name of this process
	// for another stream here. known is false if the store cannot tell.
	Others() (owner string, known bool)
	// Read yields the records from position from (1 is the first, and so is 0)
	// to the one that was the last when Read was called, in the form in which they are
	// stored. If Read fails, the error is the last pair. Beyond the end it yields
	// nothing, without an error.
	Read(ctx context.Context, from uint64) iter.Seq2[Record, error]
	// Watch has grown called when another owner has appended something behind position after,
	// which is what the caller knows: with the position of the last record, once Len and Read
	// include it. That may be before it is durable, and several appends may be one call.
	// known is false if the store cannot tell; then grown is never called.
	//
	// grown is called on any goroutine, also before Watch returns, by one call at a time. It
	// must return at once, and must not use the stream. Nothing is reported under the lease of
	// this stream: neither what it appends nor what Claim has read. But a call that began
	// before a claim may come while there is a lease. stop ends the watch, and returns when no
	// call is under way. Close ends it, too; stop may be called all the same.
	Watch(after uint64, grown func(length uint64)) (stop func(), known bool)
	// Payload returns the bytes that [Lease.Put] has stored under a name.
	// [fault.NotFound] if there is no such payload, or if name is not the name of one;
	// [fault.Conflict] if its bytes are not those that were stored.
	Payload(ctx context.Context, name string) ([]byte, error)
	// Notice is what opening the log has to report to the users of the session, in whole
	// sentences, such as that a damaged log was repaired; "" if there is nothing.
	Notice() string
	// Keeping says how to deal with the claim. It is the same for all streams of a store.
	Keeping() Keeping
	// Len is how many records there are: the position of the last.
	Len() uint64
	// Size is how many bytes the log takes in storage, without payloads.
	Size() int64
	// Close ends the lease, if there is one, and frees what the stream holds. It does
	// not make anything durable, and no context can stop it. Afterwards Claim, Append and
	// Read return [ErrClosed]; a second Close does nothing.
	Close() error
}
