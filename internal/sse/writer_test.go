package sse_test

import (
	"errors"
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

func TestWriter(t *testing.T) {
	for _, tc := range []struct {
		name  string
		event sse.Event
		want  string
	}{
		{"data", data("a"), "data: a\n\n"},
		{"empty data", data(""), "data: \n\n"},
		{"no data", sse.Event{ID: "1"}, "id: 1\n\n"},
		{"lines", data("a\n\n b\r\nc\rd\n"), "data: a\ndata: \ndata:  b\ndata: c\ndata: d\ndata: \n\n"},
		{"all fields", sse.Event{Name: "e", ID: "i", Retry: 1500 * time.Millisecond, Data: []byte("d")}, "event: e\nid: i\nretry: 1500\ndata: d\n\n"},
		{"a longest retry", sse.Event{Retry: math.MaxInt64}, "retry: 9223372036854\n\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b strings.Builder
			if err := sse.NewWriter(&b).Send(tc.event); b.String() != tc.want || err != nil {
				t.Errorf("Send wrote %q, %v, want %q", b.String(), err, tc.want)
			}
		})
	}
	for _, bad := range []sse.Event{{Name: "a\nb"}, {Name: "a\r"}, {ID: "a\nb"}, {ID: "a\rb"}, {ID: "a\x00"}} {
		var b strings.Builder
		if err := sse.NewWriter(&b).Send(bad); fault.KindOf(err) != fault.Invalid || b.Len() > 0 {
			t.Errorf("Send(%+q) wrote %q, %v, want an invalid", bad, b.String(), err)
		}
	}
}

func TestAComment(t *testing.T) {
	var b strings.Builder
	if err := sse.NewWriter(&b).Comment("still\nhere"); b.String() != ": still\n: here\n" || err != nil {
		t.Errorf("Comment wrote %q, %v", b.String(), err)
	}
}

// flusher fails to flush with err.
type flusher struct {
	strings.Builder
	err error
}

func (f *flusher) Flush() error { return f.err }

func TestWhatIsWrittenIsFlushed(t *testing.T) {
	w := httptest.NewRecorder()
	if err := sse.NewWriter(w).Send(data("a")); err != nil || !w.Flushed {
		t.Errorf("Send = %v, flushed %t, want true", err, w.Flushed)
	}
	boom := errors.New("boom")
	if err := sse.NewWriter(&flusher{err: boom}).Comment(""); !errors.Is(err, boom) || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("Comment = %v, want %v", err, boom)
	}
}
