package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// write stores a log whose events another runtime wrote.
func (d *desk) write(id string, lines ...[]byte) {
	d.t.Helper()
	ctx := context.Background()
	store, err := files.Open(files.Options{Root: "/home/session-state", FS: d.fs})
	if err != nil {
		d.t.Fatal(err)
	}
	stream, err := store.Create(ctx, id)
	if err != nil {
		d.t.Fatal(err)
	}
	log := eventlog.NewLog(stream, eventlog.Options{})
	if _, err := log.Claim(ctx, "maker/1"); err != nil {
		d.t.Fatal(err)
	}
	if err := log.Append(ctx, 0, true, lines...); err != nil {
		d.t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// line is an event of a log that a test writes; its id is e and the number.
func line(n int, kind, data string) []byte {
	return fmt.Appendf(nil, `{"type":%q,"id":"e%d","timestamp":"2026-01-01T00:00:00.000Z","parentId":"e%d","data":%s}`, kind, n, n-1, data)
}

// window is options with a context window of n tokens.
func window(n int64) registry.Options {
	return registry.Options{
		Provider:    provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m", ContextTokens: n},
		IdleTimeout: 10 * time.Minute,
	}
}

// A conversation of which the oldest messages have left memory is truncated once, and not
// again and again.
func TestALongConversationIsTruncatedOnce(t *testing.T) {
	var lines [][]byte
	add := func(kind, data string) { lines = append(lines, line(len(lines)+1, kind, data)) }
	add("session.start", `{"sessionId":"s1","version":1,"producer":"x","copilotVersion":"1","startTime":"2026-01-01T00:00:00.000Z"}`)
	add("user.message", `{"content":"go"}`)
	for i := range 12 { // more than a session keeps in memory
		add("assistant.message", fmt.Sprintf(`{"messageId":"m%d","content":"","toolRequests":[{"toolCallId":"c%d","name":"look","arguments":{}}]}`, i, i))
		add("tool.execution_complete", fmt.Sprintf(`{"toolCallId":"c%d","success":true,"result":{"content":%q}}`, i, strings.Repeat("x", 2<<20)))
	}
	for i := range 8 {
		add("assistant.message", fmt.Sprintf(`{"messageId":"z%d","content":"fine"}`, i))
		add("user.message", `{"content":"more"}`)
	}
	bubble(t, &desk{fs: vfs.NewMem(), opts: window(100_000)}, func(d *desk) {
		d.write("s1", lines...)
		s := d.resume(small(wire.Config{}))
		s.send("And now?")
		truncations := 0
		for e := range s.news {
			s.told = append(s.told, e)
			if e.Type == "session.truncation" {
				truncations++
			}
			if e.Type == "session.idle" || truncations > 3 {
				break
			}
		}
		if truncations != 1 {
			t.Errorf("the conversation was truncated %d times, want once", truncations)
		}
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Error(err)
		}
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

// A session whose conversation has left memory sends what another process has truncated
// in its short form, and so does a session that is resumed.
func TestATruncationOfAnotherProcessHoldsHere(t *testing.T) {
	bubble(t, &desk{fs: vfs.NewMem(), opts: window(100_000)}, func(d *desk) {
		a := d.create(whole(tools("lookup")))
		a.send("first")
		a.answer(`"result":"` + strings.Repeat("y", 5000) + `"`)
		a.until("session.idle")
		a.talk("2", "3", "4", "5", "6", "7")
		time.Sleep(time.Hour) // the conversation leaves memory
		synctest.Wait()
		other := d.besides(window(2000))
		b := other.resume(whole(tools("lookup")))
		b.talk("8")
		if n := count(b.rest(), "session.truncation"); n != 1 {
			t.Errorf("the other process truncated %d times", n)
		}
		before := d.conversation()
		other.stop()
		a.talk("9")
		live := d.conversation()
		if !strings.HasPrefix(live, before) {
			t.Errorf("the model read %d bytes in the other process, and then other %d bytes here", len(before), len(live))
		}
		d.stop()
		d.start(d.opts)
		d.resume(whole(tools("lookup"))).talk("10")
		if got := d.conversation(); !strings.HasPrefix(got, live) {
			t.Errorf("the model read %d bytes before the resume, and other %d bytes after it", len(live), len(got))
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"it"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}
