package eventlog

import (
	"errors"
	"iter"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// ErrClosed is what a log, its tails and its stream answer once it is closed.
var ErrClosed error = &fault.Error{Op: "eventlog", Kind: fault.Unavailable, Err: errors.New("the log is closed")}

// Store keeps the logs of sessions, each under the session's id. There is one
// implementation per technology. It is safe for concurrent use. A session may be
// open in several processes, which take turns; see [Stream.Claim].
//
// Ids come from clients. An id that the store cannot keep is [fault.Invalid],
// from every method.
type Store interface {
	// Create makes an empty log. [fault.Conflict] if the session has one.
	Create(session string) (Stream, error)
	// Open opens a log to go on writing it, and first repairs what a crash or
	// another program left behind. Repair says what was found, nil if nothing.
	// [fault.NotFound] if the session has no log; [fault.Conflict] if a record is
	// not the one that was stored, and no crash explains it, or if the log looks
	// damaged, and a process is at work that may be just writing it.
	Open(session string) (Stream, *Repair, error)
	// Delete removes a session and all that is stored with it, at once: after a
	// crash it is there whole or not at all. Close its stream before.
	// [fault.NotFound] if there is none; [fault.Conflict] if a stream has claimed
	// it, in another process or here.
	Delete(session string) error
	// Sessions lists the sessions that have a log, in no order. It may take as
	// long as there are sessions; a catalogue is somebody else's work.
	Sessions() ([]Info, error)
	// Scan yields the records of a session from the first to what is the last
	// when ranging begins, for a reader who will not write. It neither repairs
	// nor needs leave to write, passes over what holds no record, and may be used
	// while the session is open, here or in another process; stop ranging when
	// enough was read. An error is the last pair yielded; [fault.NotFound] if
	// there is no log.
	Scan(session string) iter.Seq2[Record, error]
}

// Info is a row of [Store.Sessions].
type Info struct {
	ID       string
	Size     int64     // of the log, bytes
	Modified time.Time // when the log was last written
}

// Repair is what opening a damaged log did, for the person whose session it is.
// Afterwards the log is whole: the next Open finds nothing.
type Repair struct {
	// CutBytes is how many bytes were taken off the end of the log.
	CutBytes int64
	// Salvaged is how many records were found among what is none, or on a line
	// with others, and stand by themselves now.
	Salvaged int
	// Dropped is how many broken pieces between records hold none, and are no
	// longer in the log.
	Dropped int
	// Missing is how many records are known to have been written and are gone.
	Missing uint64
	// SavedAs names where the bytes cut off the end are kept or, if something was
	// salvaged or dropped, the whole log as it was. Empty if nothing was taken
	// away.
	SavedAs string
	// Reason says in one sentence what was wrong.
	Reason string
}

// Stream is the stored records of one session. One goroutine at a time may call
// Claim, Release, Append and Close; any number may call the rest at any time.
type Stream interface {
	// Claim makes this stream the one that appends, until Release or Close, or
	// until the process dies: the operating system, not a file left behind, says
	// who has it. It does not wait. What others have appended since is taken in:
	// Len grows, and Read yields it. A second Claim does nothing.
	//
	// [fault.Conflict] if another stream has it, naming the process if that is
	// known, or if the log was changed otherwise than by appending: then open it
	// anew. [fault.NotFound] if the session was deleted, or deleted and made
	// again. [fault.Unavailable] if storage failed, now or at an earlier append.
	// Where nothing can be claimed, because the system or the storage knows no
	// such thing, Claim only takes in.
	Claim() error
	// Release gives the claim back; without one it does nothing.
	Release()
	// Others is the process that also has the session open, at work or idle: its
	// id, of one of them if there are several, and our own for another stream of
	// this process. 0 is nobody, -1 that it cannot be known.
	Others() int
	// Append stores recs after the record at, which is how many records the
	// caller believes there are. It keeps no reference to recs.
	//
	// durable asks that they, and all before them, survive a loss of power once
	// Append has returned, as far as the store was told to give that. Without
	// recs, that is all Append does. The records are visible to Read and Len
	// once Append has returned nil, and not before.
	//
	// Without a claim, Append has it for as long as it takes; it takes nothing in.
	//
	// [fault.Conflict] if another stream has the claim: nothing was stored. The
	// same if the stream is not at at, also because somebody else has written to
	// it: Claim, or open it anew. [fault.Invalid] if
	// one of recs is not a JSON object on one line: nothing was stored.
	// [fault.Unavailable] if storage failed: the stream is as before, or it
	// refuses all further appends until it is opened anew; whoever opens it
	// finds none of recs, or the first few of them.
	Append(at uint64, recs [][]byte, durable bool) error
	// Read yields the records from position from (1 is the first, and so is 0)
	// to what was the last when Read was called. An error is the last pair
	// yielded; beyond the end there is nothing and no error.
	Read(from uint64) iter.Seq2[Record, error]
	// Len is how many records there are: the position of the last.
	Len() uint64
	// Size is what they take in storage, in bytes.
	Size() int64
	// Close gives back what the stream holds. It does not make anything durable.
	// Afterwards Append and Read answer [ErrClosed]; a second Close does nothing.
	Close() error
}
