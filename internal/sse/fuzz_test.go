package sse_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/sse"
)

// FuzzReader checks that a stream reads the same however it is split into reads, and that
// its events, once written, read the same again.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"", "data: a\n\n", "\uFEFFdata:" + strings.Repeat("x", 59) + "\n\n", "\uFEFFevent: e\r\nid: 1\rretry: 5\ndata: a\r\ndata: b\n\n", "data\r\n\r\n\n: c\ndata", "id: \x00\ndata:\n\n",
		"event: e\ndata: a\n\nevent: e\ndata: b\n\nevent\ndata: c\r", "retry: 1\nretry: x\n\n", strings.Repeat("data: abcdefg\n", 20) + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		opts := sse.Options{MaxLine: 64, MaxEvent: 128}
		events, last, err := readAll(bytes.NewReader(stream), opts)
		for name, cut := range map[string]func(io.Reader) io.Reader{
			"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "data with error": iotest.DataErrReader,
		} {
			again, last2, err2 := readAll(cut(bytes.NewReader(stream)), opts)
			if diff := cmp.Diff(events, again); diff != "" || last != last2 || err.Error() != err2.Error() {
				t.Errorf("%s: read otherwise (%v, %v):\n%s", name, err, err2, diff)
			}
		}
		var b bytes.Buffer
		w := sse.NewWriter(&b)
		for _, e := range events {
			if len(e.Data) > 128 {
				t.Errorf("an event of %d bytes", len(e.Data))
			}
			if err := w.Send(e); err != nil {
				t.Fatalf("Send(%+q) = %v", e, err)
			}
			_ = w.Comment(e.Name)
		}
		if back, _, err := readAll(&b, sse.Options{}); err != io.EOF || cmp.Diff(events, back) != "" {
			t.Errorf("came back with %v:\n%s", err, cmp.Diff(events, back))
		}
	})
}

// stream gives the same events again and again.
type stream struct{ events, rest []byte }

func (s *stream) Read(b []byte) (int, error) {
	if len(s.rest) == 0 {
		s.rest = s.events
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// BenchmarkReader reads events of 250 bytes of data, as the model providers shape
// them.
func BenchmarkReader(b *testing.B) {
	payload := `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"` + strings.Repeat("x", 150) + `"}}]}`
	for name, event := range map[string]string{
		"data":  "data: " + payload + "\n\n",
		"named": "event: content_block_delta\ndata: " + payload + "\n\n",
	} {
		b.Run(name, func(b *testing.B) {
			r := sse.NewReader(&stream{events: []byte(strings.Repeat(event, 10))}, sse.Options{})
			b.SetBytes(int64(len(event)))
			b.ReportAllocs()
			for b.Loop() {
				if e, err := r.Next(); err != nil || len(e.Data) != len(payload) {
					b.Fatal(e, err)
				}
			}
		})
	}
}

func BenchmarkWriter(b *testing.B) {
	w := sse.NewWriter(io.Discard)
	e := sse.Event{Name: "session.event", ID: fmt.Sprint(12345), Data: bytes.Repeat([]byte("x"), 250)}
	b.SetBytes(int64(len(e.Data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Send(e); err != nil {
			b.Fatal(err)
		}
	}
}
