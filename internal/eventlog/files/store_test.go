package files_test

import (
	"fmt"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestMain(m *testing.M) {
	if workAsSecondProcess() {
		return
	}
	goleak.VerifyTestMain(m)
}

func TestStoreKeepsTheContract(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts func(*testing.T) files.Options
	}{
		{"in memory", func(*testing.T) files.Options { return files.Options{FS: vfs.NewMem(), Root: "/home/state"} }},
		{"on disk", func(t *testing.T) files.Options { return files.Options{Root: t.TempDir()} }},
		{"on disk, always synced", func(t *testing.T) files.Options {
			return files.Options{Root: t.TempDir() + "/a/b", Sync: files.SyncAlways}
		}},
		{"on disk, never synced", func(t *testing.T) files.Options {
			return files.Options{Root: t.TempDir() + "/a/b", Sync: files.SyncOS}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			logtest.Run(t, func(t *testing.T) (eventlog.Store, func() eventlog.Store) {
				opts := tc.opts(t)
				open := func() eventlog.Store { return mustOpen(t, opts) }
				return open(), open
			})
		})
	}
}

// TestAnIdleSessionIsSmall: one process may hold thousands of them.
func TestAnIdleSessionIsSmall(t *testing.T) {
	const n = 200
	store := mustOpen(t, files.Options{Root: t.TempDir()})
	before := heap()
	var logs []*eventlog.Log
	for i := range n {
		s, err := createIn(store, fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		logtest.Append(t, s, 1, 10)
		logs = append(logs, eventlog.NewLog(s.Stream, eventlog.Options{}))
		defer logs[i].Tail(10).Close()
	}
	each := (heap() - before) / n
	t.Logf("an open session with one tail: %d bytes", each)
	if each > 1024 {
		t.Errorf("an open session with one tail costs %d bytes, want at most 1024", each)
	}
	for _, l := range logs {
		l.Close()
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func mustOpen(t testing.TB, opts files.Options) *files.Store {
	t.Helper()
	store, err := files.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
