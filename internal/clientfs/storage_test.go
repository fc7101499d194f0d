package clientfs_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/logtest"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/workspace"
	"github.com/sidestick-dev/sidestick/internal/workspace/workspacetest"
)

// A storage has no locks, so the streams that keep each other from writing are those of one.
func TestStore(t *testing.T) {
	for name, units := range map[string]func(string) int64{
		"sizes in bytes":  nil,
		"sizes in UTF-16": func(s string) int64 { return int64(len(utf16.Encode([]rune(s)))) },
	} {
		t.Run(name, func(t *testing.T) {
			logtest.Run(t, func(t *testing.T) (eventlog.Store, func() eventlog.Store) {
				store := (&fake{units: units}).storage(t, clientfs.Options{})
				return store, func() eventlog.Store { return store }
			})
		})
	}
}

func TestWorkspace(t *testing.T) {
	workspacetest.Run(t, func(t *testing.T) workspace.Store { return (&fake{}).storage(t, clientfs.Options{}) })
}

func create(t *testing.T, s *clientfs.Storage) *logtest.Writer {
	t.Helper()
	stream, err := s.Create(t.Context(), "s")
	return logtest.Write(t, stream, err)
}

func open(t *testing.T, s *clientfs.Storage) *logtest.Writer {
	t.Helper()
	stream, err := s.Open(t.Context(), "s")
	return logtest.Write(t, stream, err)
}

func TestAnotherProcessReadsTheLog(t *testing.T) {
	f := &fake{units: func(string) int64 { return 7 }} // then each claim reads the log
	first := create(t, f.storage(t, clientfs.Options{}))
	logtest.Append(t, first, 1, 3)
	second := open(t, f.storage(t, clientfs.Options{}))
	logtest.Append(t, second, 4, 5)
	epoch := uint64(0)
	if err := second.Claim(); err == nil {
		epoch = second.Lease.Epoch()
		second.Release()
	}
	logtest.Append(t, first, 6, 6) // its claim reads what the second has added
	if err := first.Claim(); err != nil || first.Lease.Epoch() <= epoch {
		t.Errorf("Claim() = %v; the epochs are %d and %d", err, epoch, first.Lease.Epoch())
	}
	if diff := cmp.Diff(logtest.Records(1, 6), logtest.Collect(t, first.Read(1))); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	want := strings.Join(logtest.Records(1, 6), "\n") + "\n"
	if diff := cmp.Diff(want, f.file("events.jsonl")); diff != "" {
		t.Errorf("events.jsonl (-want +got):\n%s", diff)
	}
}

func TestDamagedLogIsRepaired(t *testing.T) {
	f := &fake{}
	recs := logtest.Records(1, 2)
	f.set("events.jsonl", recs[0]+"\ngarbage\n"+recs[1]+"\n"+recs[1][:10])
	s := open(t, f.storage(t, clientfs.Options{}))
	if diff := cmp.Diff(recs, logtest.Collect(t, s.Read(1))); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if got := s.Notice(); got != "The log of the session had 2 damaged lines, which are now in /state/events.jsonl.damaged." {
		t.Errorf("Notice() = %q", got)
	}
	if got, want := f.file("events.jsonl.damaged"), "garbage\n"+recs[1][:10]+"\n"; got != want {
		t.Errorf("events.jsonl.damaged is %q, want %q", got, want)
	}
	logtest.Append(t, s, 3, 3)
	if got := open(t, f.storage(t, clientfs.Options{})).Notice(); got != "" {
		t.Errorf("after the repair Notice() = %q", got)
	}
}

func TestLogThatWasChanged(t *testing.T) {
	for name, text := range map[string]string{
		"shorter": "", "other records": `{"type":"x"}` + "\n" + strings.Repeat(string(logtest.Record(1))+"\n", 3), "half a line": "",
	} {
		f := &fake{}
		s := create(t, f.storage(t, clientfs.Options{}))
		logtest.Append(t, s, 1, 2)
		if name == "half a line" {
			text = f.file("events.jsonl") + "{"
		}
		f.set("events.jsonl", text)
		wantKind(t, name+": Claim", s.Claim(), fault.Conflict)
		if name == "half a line" {
			continue // the records before it are unchanged
		}
		for _, err := range s.Read(1) {
			wantKind(t, name+": Read", err, fault.Conflict)
		}
	}
}

// After an append that has failed nothing more is stored until the session is opened again.
func TestFailedAppend(t *testing.T) {
	f := &fake{}
	storage := f.storage(t, clientfs.Options{})
	s := create(t, storage)
	logtest.Append(t, s, 1, 1)
	if err := s.Claim(); err != nil {
		t.Fatal(err)
	}
	f.before = func(_ context.Context, method, _ string) error {
		if method == "appendFile" {
			return errors.New("the disk is full")
		}
		return nil
	}
	err := s.Append(1, [][]byte{logtest.Record(2)}, true)
	wantKind(t, "Append", err, fault.Unavailable)
	if !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("the reason is %v", err)
	}
	f.before = nil
	wantKind(t, "the next Append", s.Append(1, [][]byte{logtest.Record(2)}, true), fault.Unavailable)
	s.Release()
	wantKind(t, "Claim", s.Claim(), fault.Unavailable)
	s.Close()
	logtest.Append(t, open(t, storage), 2, 2)
}

// No call waits for ever, and a call that is canceled reports so.
func TestCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{before: func(ctx context.Context, _, _ string) error { <-ctx.Done(); return ctx.Err() }}
		storage := f.storage(t, clientfs.Options{Wait: time.Minute})
		begun := time.Now()
		_, err := storage.Open(t.Context(), "s")
		wantKind(t, "Open", err, fault.Unavailable)
		if took := time.Since(begun); took != time.Minute || !strings.Contains(err.Error(), "did not answer within 1m0s") {
			t.Errorf("Open ended after %v: %v", took, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = storage.Files("s").Read(ctx, "plan.md", 10)
		wantKind(t, "Read", err, fault.Unavailable)
		if time.Since(begun) != time.Minute+time.Second {
			t.Errorf("Read was not canceled: %v", err)
		}
	})
}

func TestErrorsOfTheClient(t *testing.T) {
	f := &fake{}
	files := f.storage(t, clientfs.Options{}).Files("s")
	answers := object{"code": "UNKNOWN"}
	call := func(_ context.Context, _ string, _, result any) error {
		return decode(object{"error": answers}, result)
	}
	broken := clientfs.New(clientfs.Options{Call: call, Connection: t.Context(), StatePath: "/state"}).Files("s")
	_, err := broken.Read(t.Context(), "plan.md", 10)
	wantKind(t, "UNKNOWN", err, fault.Unavailable)
	if _, err := files.Write(t.Context(), "plan.md", []byte("x"), workspace.Durable); err != nil {
		t.Error(err)
	}
	if got := files.Path("temp/x"); got != "/state/temp/x" {
		t.Errorf("Path() = %q", got)
	}
	if slices.Contains(f.calls, "rename") {
		t.Error("a new file was written under another name first")
	}
}

func TestWindowsPaths(t *testing.T) {
	s := (&fake{}).storage(t, clientfs.Options{StatePath: `C:\state\`, Windows: true})
	if got := s.Path("temp/a.txt"); got != `C:\state\temp\a.txt` {
		t.Errorf("Path() = %q", got)
	}
	if got := s.Path("."); got != `C:\state\` {
		t.Errorf("Path(.) = %q", got)
	}
	for _, name := range []string{`..\a`, `a\b`, "c:a"} {
		if _, err := s.Files("s").Read(t.Context(), name, 10); err == nil {
			t.Errorf("Read(%q) was taken", name)
		}
	}
}

// A log that its client could not send back is not written.
func TestLogHasABound(t *testing.T) {
	f := &fake{}
	s := create(t, f.storage(t, clientfs.Options{}))
	if err := s.Claim(); err != nil {
		t.Fatal(err)
	}
	rec := []byte(`{"x":"` + strings.Repeat("<", 250<<10) + `"}`) // six times as long for some clients
	n := uint64(0)
	var err error
	for ; err == nil && n < 100; n++ {
		err = s.Append(n, [][]byte{rec}, true)
	}
	wantKind(t, "Append", err, fault.Unavailable)
	if n < 30 || n > 50 || s.Len() != n-1 {
		t.Errorf("%d records were stored, Len() = %d", n-1, s.Len())
	}
}
