package clientfs_test

import (
	"context"
	"encoding/json"
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
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/clientfstest"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/testing/workspacetest"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// A storage has no locks, so the streams that keep each other from writing are those of one.
func TestStore(t *testing.T) {
	for name, units := range map[string]func(string) int64{
		"sizes in bytes":  nil,
		"sizes in UTF-16": func(s string) int64 { return int64(len(utf16.Encode([]rune(s)))) },
	} {
		t.Run(name, func(t *testing.T) {
			logtest.Run(t, func(t *testing.T) (eventlog.Store, func() eventlog.Store) {
				store := storage(t, &clientfstest.Client{Units: units}, clientfs.Options{})
				return store, func() eventlog.Store { return store }
			})
		})
	}
}

// The newest Rust SDK sends "" for times that it does not know.
func TestATimeOfAFileCanBeUnknown(t *testing.T) {
	store := storage(t, &clientfstest.Client{NoTimes: true}, clientfs.Options{})
	s, err := store.Create(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if list, err := store.Sessions(t.Context()); err != nil || len(list) != 1 || !list[0].Modified.IsZero() {
		t.Errorf("Sessions = %+v, %v", list, err)
	}
}

func TestWorkspace(t *testing.T) {
	workspacetest.Run(t, func(t *testing.T) workspace.Store { return storage(t, &clientfstest.Client{}, clientfs.Options{}) })
}

// storage is a storage of the client, as a connection of its has one.
func storage(t *testing.T, f *clientfstest.Client, opts clientfs.Options) *clientfs.Storage {
	opts.Call, opts.Connection = f.Call, t.Context()
	if opts.StatePath == "" {
		opts.StatePath = "/state"
	}
	return clientfs.New(opts)
}

func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != want {
		t.Errorf("%s = %v, want a fault of kind %v", what, err, want)
	}
}

// decode puts an answer into a result.
func decode(answer, result any) error {
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, result)
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
	f := &clientfstest.Client{Units: func(string) int64 { return 7 }} // then each claim reads the log
	first := create(t, storage(t, f, clientfs.Options{}))
	logtest.Append(t, first, 1, 3)
	second := open(t, storage(t, f, clientfs.Options{}))
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
	if diff := cmp.Diff(want, f.File("s", "/state/events.jsonl")); diff != "" {
		t.Errorf("events.jsonl (-want +got):\n%s", diff)
	}
}

func TestDamagedLogIsRepaired(t *testing.T) {
	f := &clientfstest.Client{}
	recs := logtest.Records(1, 2)
	damaged := recs[0] + "\ngarbage\n" + recs[1] + "\n" + recs[1][:10]
	f.Set("s", "/state/events.jsonl", damaged)
	kept := storage(t, f, clientfs.Options{})
	_, err := kept.Open(eventlog.Unrepaired(t.Context()), "s")
	wantKind(t, "Open of a damaged log that may not be repaired", err, fault.Conflict)
	if got := f.File("s", "/state/events.jsonl"); got != damaged {
		t.Errorf("the log that may not be repaired has become %q", got)
	}
	s := open(t, kept)
	if diff := cmp.Diff(recs, logtest.Collect(t, s.Read(1))); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if got := s.Notice(); got != "The log of the session had 2 damaged lines, which are now in /state/events.jsonl.damaged." {
		t.Errorf("Notice() = %q", got)
	}
	if got, want := f.File("s", "/state/events.jsonl.damaged"), "garbage\n"+recs[1][:10]+"\n"; got != want {
		t.Errorf("events.jsonl.damaged is %q, want %q", got, want)
	}
	logtest.Append(t, s, 3, 3)
	if got := open(t, storage(t, f, clientfs.Options{})).Notice(); got != "" {
		t.Errorf("after the repair Notice() = %q", got)
	}
}

func TestLogThatWasChanged(t *testing.T) {
	for name, text := range map[string]string{
		"shorter": "", "other records": `{"type":"x"}` + "\n" + strings.Repeat(string(logtest.Record(1))+"\n", 3), "half a line": "",
	} {
		f := &clientfstest.Client{}
		s := create(t, storage(t, f, clientfs.Options{}))
		logtest.Append(t, s, 1, 2)
		if name == "half a line" {
			text = f.File("s", "/state/events.jsonl") + "{"
		}
		f.Set("s", "/state/events.jsonl", text)
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
	f := &clientfstest.Client{}
	st := storage(t, f, clientfs.Options{})
	s := create(t, st)
	logtest.Append(t, s, 1, 1)
	if err := s.Claim(); err != nil {
		t.Fatal(err)
	}
	f.Before = func(_ context.Context, method, _ string) error {
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
	f.Before = nil
	wantKind(t, "the next Append", s.Append(1, [][]byte{logtest.Record(2)}, true), fault.Unavailable)
	s.Release()
	wantKind(t, "Claim", s.Claim(), fault.Unavailable)
	s.Close()
	logtest.Append(t, open(t, st), 2, 2)
}

// No call waits for ever, and a call that is canceled reports so.
func TestCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &clientfstest.Client{Before: func(ctx context.Context, _, _ string) error { <-ctx.Done(); return ctx.Err() }}
		st := storage(t, f, clientfs.Options{Wait: time.Minute})
		begun := time.Now()
		_, err := st.Open(t.Context(), "s")
		wantKind(t, "Open", err, fault.Unavailable)
		if took := time.Since(begun); took != time.Minute || !strings.Contains(err.Error(), "did not answer within 1m0s") {
			t.Errorf("Open ended after %v: %v", took, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = st.Files("s").Read(ctx, "plan.md", 10)
		wantKind(t, "Read", err, fault.Unavailable)
		if time.Since(begun) != time.Minute+time.Second {
			t.Errorf("Read was not canceled: %v", err)
		}
	})
}

func TestErrorsOfTheClient(t *testing.T) {
	f := &clientfstest.Client{}
	files := storage(t, f, clientfs.Options{}).Files("s")
	answers := clientfstest.Answer{"code": "UNKNOWN"}
	call := func(_ context.Context, _ string, _, result any) error {
		return decode(clientfstest.Answer{"error": answers}, result)
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
	if slices.Contains(f.Calls(), "rename") {
		t.Error("a new file was written under another name first")
	}
}

func TestWindowsPaths(t *testing.T) {
	s := storage(t, &clientfstest.Client{}, clientfs.Options{StatePath: `C:\state\`, Windows: true})
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
	f := &clientfstest.Client{}
	s := create(t, storage(t, f, clientfs.Options{}))
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
