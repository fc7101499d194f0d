package logtest

import (
	"context"
	"iter"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
)

// Writer is a stream as tests use it: without contexts, and with a claim that Append
// takes for as long as it runs, unless the test has claimed the stream.
type Writer struct {
	eventlog.Stream
	// Owner is the name to claim with. Default [eventlog.ThisProcess].
	Owner string
	// Lease is what Claim got; nil without a claim.
	Lease eventlog.Lease
}

// Write returns a Writer over the result of Create or Open, and fails the test on an
// error. The stream is closed with the test.
func Write(t testing.TB, s eventlog.Stream, err error) *Writer {
	t.Helper()
	if err != nil {
		t.Fatalf("a session cannot be created or opened: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() }) // a test that is about closing checks the error itself
	return &Writer{Stream: s, Owner: eventlog.ThisProcess()}
}

// Claim claims the stream until Release.
func (w *Writer) Claim() (err error) {
	lease, err := w.Stream.Claim(context.Background(), w.Owner)
	if err == nil {
		w.Lease = lease
	}
	return err
}

// Release gives back what Claim got.
func (w *Writer) Release() {
	if w.Lease != nil {
		w.Lease.Release()
		w.Lease = nil
	}
}

// Append is [eventlog.Lease.Append].
func (w *Writer) Append(at uint64, recs [][]byte, durable bool) error {
	if w.Lease == nil {
		if err := w.Claim(); err != nil {
			return err
		}
		defer w.Release()
	}
	return w.Lease.Append(context.Background(), at, recs, durable)
}

// Read is [eventlog.Stream.Read].
func (w *Writer) Read(from uint64) iter.Seq2[eventlog.Record, error] {
	return w.Stream.Read(context.Background(), from)
}
