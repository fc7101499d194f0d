package files_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/eventlog/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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

func mustOpen(t testing.TB, opts files.Options) *files.Store {
	t.Helper()
	store, err := files.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return store
}
