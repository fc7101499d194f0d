package eventlog_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
)

// pageReader reads a log in pages and counts what it gets.
type pageReader struct {
	t         *testing.T
	log       *eventlog.Log
	pager     *eventlog.Pager
	cursor    string
	seq       uint64 // the last persisted record it got
	ephemeral int    // events it got, joined ones counted one by one
	missed    int    // events it was sent it missed
}

// read reads a page and checks that persisted records follow each other, and that
// ephemeral ones are between the same two as when they were published.
func (r *pageReader) read(size int) (more bool) {
	r.t.Helper()
	got := page(r.t, r.pager, eventlog.PageRequest{Cursor: r.cursor, Max: size})
	if got.Expired || got.Missed < 0 || len(got.Records) > size {
		r.t.Fatalf("%d records of at most %d, expired %v, missed %d", len(got.Records), size, got.Expired, got.Missed)
	}
	for _, rec := range got.Records {
		if want := r.seq + 1; !rec.Ephemeral && rec.Pos != want || rec.Ephemeral && rec.Pos != r.seq {
			r.t.Fatalf("%s comes after record %d", show(rec), r.seq)
		}
		r.seq = rec.Pos
		switch {
		case rec.Delta != nil:
			r.ephemeral += len(split(rec.Delta.Text))
		case rec.Ephemeral:
			r.ephemeral++
		}
	}
	r.cursor, r.missed = got.Cursor, r.missed+int(got.Missed)
	return got.More
}

// FuzzPager takes its bytes as actions of an owner, and of a client that reads in
// pages and sometimes comes back over a new connection. The client gets every persisted
// record once. The ephemeral ones that it gets and those that Missed counts are all.
func FuzzPager(f *testing.F) {
	f.Add([]byte{4, 0, 1, 2, 2, 3, 0, 2, 4, 2, 2, 4, 0, 12, 7, 2, 2, 44})
	f.Add([]byte{0, 4, 0, 0, 0, 0, 0, 1, 0, 4, 0, 0, 7, 4, 3, 255, 254, 4})
	f.Add([]byte{1, 4, 2, 2, 2, 2, 10, 10, 18, 2, 2, 3, 11, 19, 4, 0, 0, 2, 3, 255})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) == 0 || len(ops) > 1000 {
			return
		}
		l := newLog(eventlog.Options{Lag: int(ops[0]%16) + 1})
		r := &pageReader{t: t, log: l, pager: l.Pager()}
		var err error
		if r.cursor, err = r.pager.End(context.Background()); err != nil {
			t.Fatal(err)
		}
		sent := 0
		for i, op := range ops {
			token, arg := fmt.Sprintf("%0*d", tokenSize, i), int(op/8)
			switch op % 8 {
			case 0:
				appendAtOnce(t, l, arg%3+1)
			case 1:
				l.Emit([]byte(token), arg%4 == 3)
				sent++
			case 2, 3:
				l.EmitDelta(delta(strconv.Itoa(arg%3), token))
				sent++
			case 4, 5, 6:
				r.read(arg + 1)
			case 7:
				r.pager.Close()
				r.pager = l.Pager()
			}
		}
		for pages := 0; r.read(100); pages++ {
			if pages > len(ops) {
				t.Fatal("there is more and more, and nothing comes")
			}
		}
		r.pager.Close()
		if r.seq != l.Len() || r.ephemeral+r.missed != sent {
			t.Errorf("%d of %d records, and of %d ephemeral events %d and %d missed", r.seq, l.Len(), sent, r.ephemeral, r.missed)
		}
	})
}

// FuzzCursor reads with any cursor that a client may send. The answer is a page of this
// history, and a cursor that continues it.
func FuzzCursor(f *testing.F) {
	l := newLog(eventlog.Options{})
	appendTo(f, l, 9)
	p := l.Pager()
	f.Add(page(f, p, eventlog.PageRequest{Max: 3}).Cursor)
	f.Add(page(f, p, eventlog.PageRequest{Max: 3, Backward: true}).Cursor)
	for _, text := range []string{"", "f.0.0.0.0", "b.0.0.0.0", "b.1.0.0.9", "f.a.0.0.0", "f.-1.0.0.0", "F.0.0.0.0", "f.00.0.0.0", "f.3w5e11264sgsf.0.0.3w5e11264sgsf"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := newLog(eventlog.Options{})
		appendTo(t, l, 9)
		p := l.Pager()
		defer p.Close()
		first := page(t, p, eventlog.PageRequest{Cursor: text, Max: 4})
		next := page(t, p, eventlog.PageRequest{Cursor: first.Cursor, Max: 4})
		if next.Expired {
			t.Errorf("%q led to %q, which has expired", text, first.Cursor)
		}
		if first.Expired && len(first.Records) != 4 {
			t.Errorf("%q has expired and led to %q", text, shown(first.Records))
		}
	})
}
