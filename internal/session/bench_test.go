package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// benchRegistry is a registry on the real file system with a model in process.
func benchRegistry(b *testing.B, replies ...modeltest.Reply) *registry.Registry {
	b.Helper()
	srv := modeltest.NewServer(replies...)
	store, err := files.Open(files.Options{Root: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	reg := registry.New(registry.Options{
		Store: store, Version: "bench", Cwd: b.TempDir(),
		Model:    model.New(model.Options{Transport: srv.Transport(), Logger: slog.New(slog.DiscardHandler)}, chat.New(), extensions.New(nil)),
		Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m"},
	})
	b.Cleanup(func() {
		if err := reg.Close(context.Background()); err != nil {
			b.Error(err)
		}
		srv.Close()
	})
	return reg
}

func BenchmarkCreate(b *testing.B) {
	reg := benchRegistry(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c, err := reg.Create(context.Background(), wire.Config{SessionID: fmt.Sprint("s", i)}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer() // an open session holds a descriptor
		if err := c.Session().Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkRun is a session's whole life: create, one message, one model call,
// its answer sent to one client, close.
func BenchmarkRun(b *testing.B) {
	reg := benchRegistry(b, modeltest.Reply{Text: "an answer of a few words", Repeat: true})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c, err := reg.Create(context.Background(), wire.Config{SessionID: fmt.Sprint("r", i)}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Session().Send(context.Background(), wire.Send{Prompt: "hi"}); err != nil {
			b.Fatal(err)
		}
		untilIdle(b, c)
		if err := c.Session().Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func untilIdle(b *testing.B, c *session.Client) {
	for rec, err := range c.Tail().Records(context.Background()) {
		if err != nil {
			b.Fatal(err)
		}
		if e, err := wire.ParseEvent(rec.AppendJSON(nil)); err == nil && e.Type == "session.idle" {
			return
		}
	}
}

// BenchmarkResume is what a client that resumes a session waits for: the log
// is opened, checked and folded. live-MB is the heap that the session then holds.
func BenchmarkResume(b *testing.B) {
	for _, size := range []struct {
		name          string
		turns, result int // bytes of a tool's result
	}{
		{"turns=200", 200, 100},
		{"events=74000", 14_800, 14_200}, // 230 MB
	} {
		b.Run(size.name, func(b *testing.B) {
			root := b.TempDir()
			bytes := writeLog(b, filepath.Join(root, "s1"), size.turns, size.result)
			store, err := files.Open(files.Options{Root: root})
			if err != nil {
				b.Fatal(err)
			}
			before := liveHeap()
			b.SetBytes(bytes)
			var held uint64
			for b.Loop() {
				reg := registry.New(registry.Options{Store: store, Version: "bench"})
				if _, err := reg.Resume(context.Background(), wire.Config{SessionID: "s1", DisableResume: true}, nil, nil); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				held = max(liveHeap(), before) - before
				if err := reg.Close(context.Background()); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(held)/1e6, "live-MB")
		})
	}
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// writeLog makes a log of turns with a tool call each, as a run writes them, and
// returns its size.
func writeLog(b *testing.B, dir string, turns, result int) int64 {
	b.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	var log []byte
	parent := ""
	add := func(d wire.Data) {
		body, err := wire.Marshal(d)
		if err != nil {
			b.Fatal(err)
		}
		e := wire.Event{Header: wire.Header{ID: wire.NewID(), ParentID: parent, Time: time.Now(), Type: d.Type()}, Data: body}
		log, parent = append(wire.AppendEvent(log, &e), '\n'), e.ID
	}
	text := strings.Repeat("0123456789 abcdefghij KLMNOPQRST\n", result/33+1)[:result]
	add(&wire.SessionStart{SessionID: "s1", Version: 1, Producer: "bench", StartTime: time.Now()})
	add(&wire.UserMessage{Content: "go"})
	for i := range turns {
		id, call := fmt.Sprint(i), fmt.Sprint("call-", i)
		args := json.RawMessage(`{"path":"/work/internal/session/session.go"}`)
		add(&wire.AssistantTurnStart{TurnID: id})
		add(&wire.AssistantMessage{MessageID: wire.NewID(), ToolRequests: []wire.ToolRequest{{ToolCallID: call, Name: "view", Arguments: args}}})
		add(&wire.ToolStart{ToolCallID: call, ToolName: "view", Arguments: args})
		add(&wire.ToolComplete{ToolCallID: call, Success: true, Result: &wire.ToolResult{Content: text}})
		add(&wire.AssistantTurnEnd{TurnID: id})
	}
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), log, 0o600); err != nil {
		b.Fatal(err)
	}
	return int64(len(log))
}

// tenThousand is that many sessions of three events in folders.
func tenThousand(b *testing.B) registry.Store {
	b.Helper()
	store, err := files.Open(files.Options{Root: b.TempDir(), Sync: files.SyncOS})
	if err != nil {
		b.Fatal(err)
	}
	for n := range 10_000 {
		stream, err := store.Create(b.Context(), fmt.Sprint("session-", n))
		if err != nil {
			b.Fatal(err)
		}
		s := &logtest.Writer{Stream: stream}
		recs := [][]byte{
			[]byte(`{"type":"session.start","timestamp":"2026-01-02T03:04:05.000Z","id":"1","data":{"context":{"cwd":"/work","branch":"main"}}}`),
			[]byte(`{"type":"user.message","timestamp":"2026-01-02T03:04:06.000Z","id":"2","data":{"content":"Why do the tests fail?"}}`),
			[]byte(`{"type":"assistant.message","timestamp":"2026-01-02T03:04:07.000Z","id":"3","data":{"content":"Because of the parser."}}`),
		}
		if err := errors.Join(s.Append(0, recs, false), s.Close()); err != nil {
			b.Fatal(err)
		}
	}
	return store
}

// BenchmarkList10kLogs is a list of the newest 50 sessions: read from every log,
// from a catalogue that has to be built, and from one whose rows are all right but
// that has to be compared with the logs.
func BenchmarkList10kLogs(b *testing.B) {
	store := tenThousand(b)
	folder := b.TempDir()
	list := func(b *testing.B, path string) {
		reg := registry.New(registry.Options{Store: store, Catalog: catalog.Options{Path: path, Patience: time.Hour}})
		if l, more, err := reg.Newest(context.Background(), 50); err != nil || len(l) != 50 || more != 9950 {
			b.Fatal(len(l), more, err)
		}
		if err := reg.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	for name, path := range map[string]func(n int) string{
		"read":    func(int) string { return "" },
		"build":   func(n int) string { return filepath.Join(folder, fmt.Sprint(n)) },
		"compare": func(int) string { return filepath.Join(folder, "one") },
	} {
		b.Run(name, func(b *testing.B) {
			list(b, path(0))
			for n := 1; b.Loop(); n++ {
				list(b, path(n))
			}
		})
	}
}
