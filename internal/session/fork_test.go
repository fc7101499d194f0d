package session_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// A session that another program wrote, and that can be resumed, can be forked: the model
// reads the same in both.
func TestALogOfAnotherProgramCanBeForked(t *testing.T) {
	for _, third := range []string{
		`{"type":"x.y","id":"e3","timestamp":"2026-01-01T00:00:00.000Z","parentId":"e2"}`,
		`{"type":"x.y","id":"e3","timestamp":"2026-01-01T00:00:00.000Z","parentId":"e2","data":null}`,
		`{"type":"user.message","id":"e3","parentId":"e2","data":3}`,
		`{"type":"x.y","id":null,"parentId":7,"data":{}}`,
		`{"type":"x.y","id":"a \"quoted\" id","data":{}}`,
		`{"type":"x.y","data":{}}`,
		`{"type":"","data":{}}`,
		`{"type":"session.start","id":"e3","data":[]}`,
		`{"type":"session.start","id":"e3","data":null}`,
		`{"type":"session.start","id":"e3"}`,
		`{}`,
	} {
		t.Run(third, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				d.write("s1", line(1, "session.start", `{"sessionId":"s1","version":1,"producer":"x"}`), line(2, "user.message", `{"content":"one"}`), []byte(third))
				fork, err := d.reg.Fork(context.Background(), "s1", "", "")
				if err != nil {
					t.Fatal(err)
				}
				cfg := brief
				var read []string
				for _, cfg.SessionID = range []string{"s1", fork} {
					d.resume(cfg).talk("two")
					read = append(read, d.conversation())
				}
				if read[0] != read[1] || !strings.Contains(read[0], "one") {
					t.Errorf("in the source the model read\n%s\nin the fork\n%s", read[0], read[1])
				}
			}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}

// breaking is a store in memory that calls breaks when a log is read for the second time.
type breaking struct {
	shared
	reads  *int
	breaks func()
}

func (b breaking) Scan(ctx context.Context, session string) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		if *b.reads++; *b.reads == 2 {
			b.breaks()
		}
		b.shared.Scan(ctx, session)(yield)
	}
}

// A fork whose copy fails is removed, also if that is because its caller has left.
func TestAForkThatFailsLeavesNothing(t *testing.T) {
	ctx, leave := context.WithCancel(context.Background())
	for _, tc := range []struct {
		name   string
		breaks func()
		want   func(error) bool
	}{
		{"a panic", func() { panic("the log cannot be read") }, func(err error) bool { return fault.KindOf(err) == fault.Internal }},
		{"its caller leaves", leave, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := breaking{shared{&logtest.Memory{}}, new(int), tc.breaks}
			bubble(t, &desk{fs: vfs.NewMem(), store: store}, func(d *desk) {
				d.create(brief)
				*store.reads = 0
				if id, err := d.reg.Fork(ctx, "s1", "", ""); id != "" || !tc.want(err) {
					t.Errorf("Fork = %q, %v", id, err)
				}
				if list, err := store.Sessions(context.Background()); len(list) != 1 || err != nil {
					t.Errorf("the store has the sessions %v, %v, want the source alone", list, err)
				}
			})
		})
	}
}
