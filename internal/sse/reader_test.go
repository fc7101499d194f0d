package sse_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// readAll returns the events of a stream, the error after them, and the last id.
func readAll(r io.Reader, opts sse.Options) (events []sse.Event, last string, err error) {
	reader := sse.NewReader(r, opts)
	for {
		e, err := reader.Next()
		if err != nil {
			return events, reader.LastEventID(), err
		}
		e.Data = bytes.Clone(e.Data)
		events = append(events, e)
	}
}

// data is an event with nothing but data.
func data(s string) sse.Event { return sse.Event{Data: []byte(s)} }

var streams = []struct {
	name, stream string
	want         []sse.Event
	last         string // LastEventID at the end
	err          error
}{
	{"nothing", "", nil, "", io.EOF},
	{"one line", "data: a\n\n", []sse.Event{data("a")}, "", io.EOF},
	{"every line end", "data: a\r\rdata: b\n\ndata: c\r\n\r\ndata: d\r\n\n", []sse.Event{data("a"), data("b"), data("c"), data("d")}, "", io.EOF},
	{"the last event needs only one byte of its end", "data: a\r\n\r", []sse.Event{data("a")}, "", io.EOF},
	{"lines are joined", "data: a\ndata\ndata:\ndata: b\n\n", []sse.Event{data("a\n\n\nb")}, "", io.EOF},
	{"one space is taken off", "data:a\n\ndata:  a \n\ndata:\ta\n\n", []sse.Event{data("a"), data(" a "), data("\ta")}, "", io.EOF},
	{"a colon in a value", "data: a: b\n\n", []sse.Event{data("a: b")}, "", io.EOF},
	{"empty data is data", "data\n\ndata:\n\n", []sse.Event{data(""), data("")}, "", io.EOF},
	{"a byte order mark", "\uFEFFdata: a\n\n", []sse.Event{data("a")}, "", io.EOF},
	{"is no mark further on", "data: a\n\n\uFEFFdata: b\n\n", []sse.Event{data("a")}, "", io.EOF},
	{"nor twice", "\uFEFF\uFEFFdata: a\n\n", nil, "", io.EOF},
	{"comments are nothing", ": a\n:\ndata: a\n:b\n\n:\n\n", []sse.Event{data("a")}, "", io.EOF},
	{"other fields are nothing", "x: a\nDATA: b\n data: c\nxx\n\n", nil, "", io.EOF},
	{
		"all fields", "event: e\nid: i\nretry: 1500\ndata: d\n\n",
		[]sse.Event{{Name: "e", ID: "i", Retry: 1500 * time.Millisecond, Data: []byte("d")}},
		"i", io.EOF,
	},
	{
		"they hold for one event", "event: e\nid: i\nretry: 1\ndata: d\n\ndata\n\n",
		[]sse.Event{{Name: "e", ID: "i", Retry: time.Millisecond, Data: []byte("d")}, data("")},
		"i", io.EOF,
	},
	{"the last of a name counts", "event: a\nevent: b\ndata\n\nevent: c\nevent\ndata\n\n", []sse.Event{{Name: "b", Data: []byte{}}, data("")}, "", io.EOF},
	{"without data there is no event", "event: a\n\ndata: b\n\n", []sse.Event{data("b")}, "", io.EOF},
	{"but an id", "id: 7\n\n", nil, "7", io.EOF},
	{"which is not there before the event ends", "id: 7\n\nid: 8\n", nil, "7", io.EOF},
	{"and can be taken back", "id: 7\n\nid\ndata\n\n", []sse.Event{data("")}, "", io.EOF},
	{"an id with NUL is none", "id: 7\n\nid: a\x00b\ndata\n\n", []sse.Event{data("")}, "7", io.EOF},
	{
		"a retry is digits", "retry: 1s\ndata\n\nretry: -1\ndata\n\nretry: 99999999999999999999\ndata\n\nretry: 9999999999999999\ndata\n\n",
		[]sse.Event{data(""), data(""), data(""), data("")},
		"", io.EOF,
	},
	{"bytes that are not UTF-8 pass", "data: \xff\n\n", []sse.Event{data("\xff")}, "", io.EOF},

	{"cut off after data", "data: a\n\ndata: b\n", []sse.Event{data("a")}, "", io.ErrUnexpectedEOF},
	{"cut off within data", "data: a\n\ndata: b", []sse.Event{data("a")}, "", io.ErrUnexpectedEOF},
	{"cut off within a name", "data: a\n\nda", []sse.Event{data("a")}, "", io.ErrUnexpectedEOF},
	{"cut off after fields that are not data", "event: a\nid: b\n", nil, "", io.EOF},
	{"cut off within a comment", "data: a\n\n: still he", []sse.Event{data("a")}, "", io.EOF},
	{"cut off within the first comment", "\uFEFF:", nil, "", io.EOF},
	{"nothing but a mark", "\uFEFF", nil, "", io.EOF},
}

func TestReader(t *testing.T) {
	for _, tc := range streams {
		t.Run(tc.name, func(t *testing.T) {
			for _, cut := range []func(io.Reader) io.Reader{
				func(r io.Reader) io.Reader { return r },
				iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
			} {
				got, last, err := readAll(cut(strings.NewReader(tc.stream)), sse.Options{})
				if diff := cmp.Diff(tc.want, got); diff != "" || last != tc.last || !errors.Is(err, tc.err) {
					t.Errorf("read %q: %v, last id %q, want %v, %q\n%s", tc.stream, err, last, tc.err, tc.last, diff)
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	opts := sse.Options{MaxLine: 100, MaxEvent: 150}
	line := func(n int) string { return "data: " + strings.Repeat("x", n-len("data: ")) + "\n" }
	for _, tc := range []struct {
		name, stream string
		events       int
		kind         fault.Kind // Internal: a clean end
	}{
		{"a line of all bytes", line(100) + "\n", 1, fault.Internal},
		{"a line too long", line(101) + "\n", 0, fault.Invalid},
		{"a comment too long", "data\n\n:" + line(101), 1, fault.Invalid},
		{"a line without end", "data\n\n" + strings.Repeat("x", 1<<20), 1, fault.Invalid},
		{"an event of all bytes", line(100) + line(61) + "\n", 1, fault.Internal},
		{"an event too long", line(100) + line(62) + "\n", 0, fault.Invalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			events, _, err := readAll(strings.NewReader(tc.stream), opts)
			if len(events) != tc.events || fault.KindOf(err) != tc.kind || (err == io.EOF) != (tc.kind == fault.Internal) {
				t.Errorf("read %d events, %v, want %d, %v", len(events), err, tc.events, tc.kind)
			}
		})
	}
	big := strings.Repeat("x", 1<<20-len("data:"))
	if events, _, err := readAll(strings.NewReader("data:"+big+"\n\ndata\n\n"), sse.Options{}); len(events) != 2 || err != io.EOF {
		t.Errorf("read %d events, %v, want 2 within the defaults", len(events), err)
	}
}

type endless struct{}

func (endless) Read([]byte) (int, error) { return 0, nil }

func TestErrorsAreFinalAndKeepTheirKind(t *testing.T) {
	boom := errors.New("boom")
	for _, tc := range []struct {
		name   string
		stream io.Reader
		want   error
		kind   fault.Kind
	}{
		{"of the transport", iotest.ErrReader(boom), boom, fault.Unavailable},
		{"of a context", iotest.ErrReader(context.Canceled), context.Canceled, fault.Canceled},
		{"of a deadline", iotest.ErrReader(context.DeadlineExceeded), context.DeadlineExceeded, fault.Unavailable},
		{"a reader that gives nothing", endless{}, io.ErrNoProgress, fault.Unavailable},
		{"a stream cut off", strings.NewReader("data"), io.ErrUnexpectedEOF, fault.Unavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := sse.NewReader(tc.stream, sse.Options{})
			for range 2 {
				if _, err := r.Next(); !errors.Is(err, tc.want) || fault.KindOf(err) != tc.kind {
					t.Errorf("Next = %v, want %v of kind %v", err, tc.want, tc.kind)
				}
			}
		})
	}
}

func TestAnEventIsDeliveredBeforeMoreIsRead(t *testing.T) {
	r, w := io.Pipe()
	defer r.Close()
	reader := sse.NewReader(r, sse.Options{})
	for _, end := range []string{"\n\n", "\r\r", "\r\n\r"} {
		go func() { _, _ = io.WriteString(w, "data: a"+end) }()
		if e, err := reader.Next(); string(e.Data) != "a" || err != nil {
			t.Errorf("Next after %q = %q, %v, want a", end, e.Data, err)
		}
	}
	if got := reader.Bytes(); got != int64(len("data: a\n\ndata: a\r\rdata: a\r\n\r")) {
		t.Errorf("Bytes = %d", got)
	}
}
