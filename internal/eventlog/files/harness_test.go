package files_test

import (
	"context"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// createIn creates a session. The stream is nil after an error.
func createIn(store *files.Store, session string) (*logtest.Writer, error) {
	s, err := store.Create(context.Background(), session)
	if err != nil {
		return nil, err
	}
	return &logtest.Writer{Stream: s, Owner: eventlog.ThisProcess()}, nil
}

// openIn opens a session and returns what that has repaired; nil if nothing. The stream
// is nil after an error.
func openIn(store *files.Store, session string) (*logtest.Writer, *files.Repair, error) {
	s, err := store.Open(context.Background(), session)
	if err != nil {
		return nil, nil, err
	}
	return &logtest.Writer{Stream: s, Owner: eventlog.ThisProcess()}, files.RepairOf(s), nil
}

// createS creates session "s" in a store on fsys, and closes it with the test.
func createS(t *testing.T, fsys vfs.FS) *logtest.Writer {
	t.Helper()
	s, err := createIn(mustOpen(t, files.Options{Root: root, FS: fsys}), "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
