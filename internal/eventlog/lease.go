package eventlog

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Hold is what the user of a [Log] can learn about its claim. It is safe for
// concurrent use.
type Hold interface {
	// Epoch is a fencing token. For one log it never decreases, and it is higher
	// than the epoch of every earlier owner that has appended something. A receiver
	// outside, such as a node that carries out commands, may refuse what comes with an
	// epoch below the highest that it has seen.
	Epoch() uint64
	// Lost is closed when another owner may have the claim, or when this one cannot be
	// held any longer: somebody took the session over, deleted it or replaced its log,
	// or the stream was closed. Release closes it only if it finds that the session was
	// deleted: then what was appended is lost.
	Lost() <-chan struct{}
	// Wanted is closed when another owner has asked for the claim: who keeps it without need
	// gives it back. It is nil where the store does not pass that on. Nothing is taken away:
	// the other one asks again.
	Wanted() <-chan struct{}
	// Err is nil until Lost is closed. Then it is the reason: the error of [TakenOver],
	// [fault.NotFound] if the session was deleted, or [ErrClosed].
	Err() error
}

// Keeping says how the owner of a log deals with its claim; [Stream.Keeping] returns it. The
// zero value, which is right for files, keeps no claim and bounds no call.
type Keeping struct {
	// Keep is how long a claim is kept that nothing needs any more, because a claim costs
	// much. It goes back sooner if it is [Hold.Wanted]. 0 gives it back at once.
	Keep time.Duration
	// ClaimWait bounds a claim, with the reading of what others have recorded; AppendWait an
	// append. 0 is no bound. After an append that was given up it is unknown what was stored.
	ClaimWait, AppendWait time.Duration
}

// Lease is a claim on a log; [Stream.Claim] returns it. Its methods, other than those
// of Hold, belong to the goroutine that may use the stream.
type Lease interface {
	Hold
	// Append stores recs behind the record at position at, which is how many records
	// the caller believes there are. It keeps no reference to recs.
	//
	// durable asks that recs, and all records before them, survive a loss of power once
	// Append has returned, as far as the store is configured to give that. Without
	// recs, that is all that Append does. The records are visible to Read and Len
	// once Append has returned nil, and not before. See [Store] for the effect of
	// canceling ctx.
	//
	// Nothing was stored if the lease was lost, and the error is that of Err; or if the
	// error is [fault.Conflict]: the lease was released, or the log does not end at at,
	// for example because a program that claims nothing has written to it. The same
	// holds for [fault.Invalid]: one of recs is not a JSON object on one line, or longer
	// than [MaxRecord].
	//
	// After [fault.Unavailable] it is unknown what was stored: none of recs, or the
	// first few of them. The stream is as before, or it refuses all further appends
	// until the session is opened again.
	Append(ctx context.Context, at uint64, recs [][]byte, durable bool) error
	// Put stores a payload beside the log and returns its name, [PayloadName] of data.
	// Once Put has returned, the payload is as durable as the store can make any record;
	// so a record that names it, appended afterwards, never outlives it. A payload that
	// no record names does no harm. It is deleted with the session.
	//
	// The error of Err if the lease was lost; [fault.Conflict] if it was released;
	// [fault.Invalid] if data is longer than [MaxPayload]; [fault.Unavailable] if
	// storage failed.
	Put(ctx context.Context, data []byte) (name string, err error)
	// Release gives the claim back, so that another stream can have it. A lease that
	// was lost or released stays so; Release then does nothing. No context can stop it.
	Release()
}

// TakenOver is the error of a lease that was lost because owner, named in words, has
// claimed the session. It is a [fault.Conflict].
func TakenOver(op, session, owner string) error {
	return &fault.Error{
		Op: op, On: session, Kind: fault.Conflict, Hint: "wait until it is done there, then try again",
		Err: errors.New("the session was taken over by " + owner),
	}
}

// ThisProcess names this process as an owner: the name of the host, a slash, and the
// id of the process.
func ThisProcess() string { return Process(os.Getpid()) }

// Process names a process on this host, as [ThisProcess] names this one.
func Process(id int) string { return host.Get() + "/" + strconv.Itoa(id) }

var host = lazy.Value[string]{Make: func() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return name
}}
