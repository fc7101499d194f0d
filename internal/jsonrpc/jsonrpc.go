// Package jsonrpc speaks JSON-RPC 2.0 over a byte stream, with calls in both directions.
// It knows frames, ids and limits, and no method but $/cancelRequest.
//
// # Frames
//
// A [Framing] divides the stream into bodies of UTF-8 JSON; [Options].Framing chooses one, and everything below is the
// same for each of them. Another framing has to be written in this package, because only here can it count a body in
// [Options].Memory.
//
// [Headers], the default, writes `Content-Length: N\r\n\r\n` and a body of N bytes, and
// no other header, because some peers read no other. It reads the
// name in any case, skips other headers after it or after Content-Type, accepts a bare \n as
// a line end, and bounds the header section to 4 KiB and 16 lines. Anything else at the
// beginning of a frame, such as the line of an HTTP request, ends the connection: a web page
// can make a browser send HTTP to a port of this machine, with frames in it.
//
// [Lines] has one body on each line. There, too, the line of an HTTP request ends the connection.
//
// # Messages
//
// A message is one object. Arrays (batches) are refused. A request's id is a
// string or an integer of at most 1,024 bytes and is sent back as the same bytes;
// our own ids are integers from 1. Incoming params are an object, an array, or
// absent, which null also means; outgoing params are always an object. A success
// always carries a result, null if there is none, and never an error beside it.
//
// # What a bad peer can do
//
// The peer is not trusted. The memory for a frame grows with the bytes that have arrived,
// up to [Options].MaxFrame.
//
//   - A body that is not UTF-8 or not JSON is answered with [ParseError], with
//     its id if that can still be read, else with a null id. Reading continues.
//   - A body beyond MaxFrame is skipped as it streams in. Its id, if among its
//     first 4 KiB, is answered with [InvalidRequest]. Reading continues. If it was
//     the answer to a [Conn.Call], that call fails.
//   - After a header that gives no length, the next frame's start is unknown: the answer has a
//     null id, and the connection ends. A body beyond 16 times MaxFrame ends it, too.
//   - Requests beyond MaxInFlight, or whose bodies with those in flight are beyond
//     four times MaxFrame, are answered with [Overloaded]; notifications beyond it
//     are dropped and logged.
//   - A peer that sends requests and never reads answers ends its connection once
//     1,024 refusals wait behind a full queue.
//   - Bodies that arrive or are being handled, answers that wait, and frames that wait to be
//     written are counted in [Options].Memory, of which other connections have shares, too.
//     What has no room there is answered with [Overloaded]. No refusal keeps the message that
//     it answers.
//   - Connections with the same [Options].Turns take turns with the processors: requests that compute begin in
//     turns, long messages are decoded a few at a time, and a connection with many requests waiting is not read on.
//
// # Order
//
// The [Handler] gets messages one by one as they arrive; the work that it returns runs
// concurrently. Frames are sent in the order in which the calls that write them
// reached the queue, so one goroutine's frames stay in order.
//
// Source: JSON-RPC 2.0, and the base protocol and $/cancelRequest of the Language
// Server Protocol 3.17, which the Copilot SDKs share.
package jsonrpc

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/sidestick-dev/sidestick/internal/quota"
)

// Request is a call or a notification from the peer.
type Request struct {
	Method string
	// Params is an object, an array, or nil if the peer sent none: valid JSON in
	// UTF-8, though an escape in it may be half a surrogate pair. It is part of the
	// frame, which nothing else holds: keep it as long as needed.
	Params json.RawMessage

	// Computes is set by the Handler if the work computes, and most likely does not wait for others: it takes its turn
	// in [Options].Turns.
	Computes bool

	id   json.RawMessage // as received, nil for a notification; a copy if the body is long
	size int             // of the body, in bytes, as long as Params are kept
	// taken is what the request takes of Options.Memory, in bytes: its body, later its answer.
	taken int
}

// IsNotification reports whether the peer wants no answer.
func (r *Request) IsNotification() bool { return r.id == nil }

// Handler decides what to do with a message. It is called on the reading
// goroutine, in order of arrival, so it must return at once: note what depends on
// order, and return the rest as work.
//
// The work runs on its own goroutine. Its result is the answer: a nil error
// and a value for encoding/json (nil is null; a [json.RawMessage] is sent as it
// stands, unchecked) or an [Answer] with one, or an error for [Options].ErrorOf. The
// result of a notification is dropped, its error is logged. A nil work answers a request
// with null.
//
// ctx ends when the peer cancels this request, when the connection begins to end,
// and after the answer. A request whose peer cancelled it is still answered, with
// [RequestCancelled] if the work returned a context error.
//
// A panic in either half is logged with its stack and answered with
// [InternalError]; the connection continues.
type Handler func(ctx context.Context, req *Request) (work func() (any, error))

// Answer is a result whose handler learns when it was sent. A handler can so bound the
// large answers that wait for a slow peer at the same time.
type Answer struct {
	Result any
	// Sent is called once, when the answer was written, was left to another goroutine
	// to write, or was lost.
	Sent func()
}

// Options configures [NewConn]. The zero value is right for a local peer; a limit
// of 0 or less means its default.
type Options struct {
	// Framing divides the stream into messages. Default: [Headers].
	Framing Framing
	// MaxFrame bounds the body of an incoming frame, in bytes. Default 64 MiB.
	MaxFrame int
	// FirstFrame takes the place of MaxFrame, also in what is said of multiples of it, until [Conn.Trust] is called,
	// for peers that have to identify themselves first. Default MaxFrame.
	FirstFrame int
	// Memory counts what the peer makes this end hold: the part of bodies beyond 4 KiB until they
	// are handled, 12 KiB for each request until its answer is queued, answers beyond 4 KiB until
	// they are queued, refusals, and what waits to be written beyond 16 KiB. A message for which it
	// has no room is skipped as it streams in, and answered with [Overloaded], as a request is whose
	// answer has no room; refusals without room end the connection. Default: nothing is counted.
	Memory *quota.Share
	// Turns divides the processors among the connections that have the same value. Default: everything begins at once.
	Turns *Turns
	// FrameWait bounds how long a frame may take from its first byte to its last, until Trust
	// is called. Default: any time.
	FrameWait time.Duration
	// MaxInFlight bounds the messages being handled: from the call of the Handler
	// until the answer is queued. Default 16,384: one client may have thousands of
	// sessions and send to all of them at once, and each waits for the disk. The
	// size of their bodies bounds their memory.
	MaxInFlight int
	// MaxQueue bounds the bytes that wait to be written; beyond it writers wait. As
	// much again may be on its way to the transport. A frame that is
	// larger by itself waits for an empty queue. Default 1 MiB.
	MaxQueue int
	// ErrorOf turns a Handler's error into the one that the peer is sent. Default: an
	// [*Error] unchanged, any other error as [InternalError] with its text.
	ErrorOf func(error) *Error
	// Logger gets errors that no caller can be given: panics at Error, lost
	// notifications at Warn, a peer's mistakes at Debug. Default: they are dropped.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Framing == nil {
		o.Framing = Headers()
	}
	if o.MaxFrame <= 0 {
		o.MaxFrame = 64 << 20
	}
	if o.FirstFrame <= 0 {
		o.FirstFrame = o.MaxFrame
	}
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 16 << 10
	}
	if o.MaxQueue <= 0 {
		o.MaxQueue = 1 << 20
	}
	if o.ErrorOf == nil {
		o.ErrorOf = errorOf
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
