package rewind_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/rewind"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

const theFile, theMessage = "/work/a.txt", "e1"

// fake is a session with one message, after which a tool has changed a file.
type fake struct {
	log      []eventlog.Record
	at       rewind.Position
	project  rewind.Project
	held     bool // by another command
	holds    int  // by Rewind
	truncate error
	cut      string // the event that Truncate was called with
}

func (f *fake) Position(context.Context) (rewind.Position, error) { return f.at, nil }

func (f *fake) Records(context.Context) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for _, rec := range f.log {
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func (f *fake) Truncate(_ context.Context, eventID string) (int64, error) {
	f.cut = eventID
	return 2, f.truncate
}

func (f *fake) Hold(context.Context) (bool, error) {
	if f.held {
		return false, nil
	}
	f.holds++
	return true, nil
}

func (f *fake) Release() { f.holds-- }

func (f *fake) Project(context.Context) (rewind.Project, error) { return f.project, nil }

func (f *fake) Cwd() string { return "/work" }

// record adds an event to the log.
func (f *fake) record(t *testing.T, id string, data wire.Data) {
	t.Helper()
	body, err := wire.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	line := wire.AppendEvent(nil, &wire.Event{Header: wire.Header{ID: id, Type: data.Type()}, Data: body})
	f.log = append(f.log, eventlog.Record{Pos: uint64(len(f.log) + 1), JSON: line})
}

// rewriting is a tool that replaces the file.
type rewriting struct{ disk vfs.FS }

func (rewriting) Definition() tool.Definition { return tool.Definition{Name: "edit"} }

func (rewriting) Request(context.Context, tool.Call) (*permit.Request, *tool.Result) { return nil, nil }

func (w rewriting) Run(context.Context, tool.Call) tool.Result {
	if err := vfs.WriteFileAtomic(w.disk, theFile, []byte("new\n"), 0o600); err != nil {
		return tool.Result{Outcome: tool.Failure, Text: err.Error()}
	}
	return tool.Result{Outcome: tool.Success}
}

// changed returns a session whose tool has changed the file from "old" to "new".
func changed(t *testing.T, seal func(...string) (string, error)) (*fake, vfs.FS, *rewind.Files) {
	t.Helper()
	disk := vfs.NewMem()
	for _, dir := range []string{"/work", "/kept"} {
		if err := disk.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := vfs.WriteFileAtomic(disk, theFile, []byte("old\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	s := &fake{at: rewind.Position{Tracking: true}}
	files := rewind.New(s, rewind.Options{
		ID: "s1", FS: disk, Resolve: func(path string) string { return path }, Seal: seal,
		Kept: workspace.New("s1", workspace.Folder{FS: disk, Dir: "/kept"}), Logs: slog.New(slog.DiscardHandler),
	})
	s.record(t, theMessage, &wire.UserMessage{Content: "go"})
	tracked := files.Track([]tool.Tool{rewriting{disk}})[0]
	res := tracked.Run(context.Background(), tool.Call{Permitted: &permit.Request{Kind: permit.Write, Path: permit.Path{Real: theFile}}})
	for _, data := range res.After {
		s.record(t, "e2", data)
	}
	return s, disk, files
}

// sealed is a seal that is always the same for the same parts.
func sealed(parts ...string) (string, error) { return strings.Join(parts, "|"), nil }

func holds(t *testing.T, disk vfs.FS, want string) {
	t.Helper()
	if data, err := disk.ReadFile(theFile); err != nil || string(data) != want {
		t.Errorf("the file holds %q, %v; want %q", data, err, want)
	}
}

func TestARewind(t *testing.T) {
	for name, tc := range map[string]struct {
		prepare func(*fake)
		restore bool
		want    wire.Rewound
		holds   string
		keeps   bool // the history
	}{
		"with files":       {restore: true, want: wire.Rewound{Outcome: "success", RestoredFiles: []string{theFile}}, holds: "old\n"},
		"without files":    {want: wire.Rewound{Outcome: "success"}, holds: "new\n"},
		"while held":       {func(s *fake) { s.held = true }, true, wire.Rewound{Outcome: "session-busy"}, "new\n", true},
		"without tracking": {func(s *fake) { s.at.Tracking = false }, true, wire.Rewound{Outcome: "file-change-tracking-disabled"}, "new\n", true},
		"that cannot be recorded": {
			func(s *fake) { s.truncate = errors.New("the disk is full") }, true,
			wire.Rewound{Outcome: "truncation-failed", RestoredFiles: []string{theFile}},
			"old\n", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, disk, files := changed(t, sealed)
			if tc.prepare != nil {
				tc.prepare(s)
			}
			r, err := files.Rewind(context.Background(), theMessage, tc.restore)
			r.Error, r.EventsRemoved = nil, nil
			if diff := cmp.Diff(tc.want, r); diff != "" || err != nil {
				t.Errorf("Rewind: %v (-want +got):\n%s", err, diff)
			}
			holds(t, disk, tc.holds)
			if tc.keeps != (s.cut == "") || s.holds != 0 {
				t.Errorf("the history was cut at %q, and the session is held %d times", s.cut, s.holds)
			}
		})
	}
}

// A capture that this machine has not made restores nothing, and is not compared.
func TestACaptureFromElsewhereRestoresNothing(t *testing.T) {
	machine := "here"
	_, disk, files := changed(t, func(parts ...string) (string, error) { return sealed(append(parts, machine)...) })
	machine = "elsewhere"
	points, _, _, err := files.Points(context.Background())
	if err != nil || len(points) != 1 || points[0].CanRestoreFiles || !points[0].TurnChangedFiles {
		t.Errorf("points %+v, %v", points, err)
	}
	d, err := files.Diff(context.Background(), "session", false)
	if err != nil || len(d.Changes) != 1 || d.Changes[0].Diff != "" || d.Changes[0].IsTruncated == nil {
		t.Errorf("Diff = %+v, %v", d, err)
	}
	r, err := files.Rewind(context.Background(), theMessage, true)
	if err != nil || len(r.RestoredFiles) != 0 || len(r.SkippedFiles) != 1 || r.SkippedFiles[0].Reason != "skipped-capture" {
		t.Errorf("Rewind = %+v, %v", r, err)
	}
	holds(t, disk, "new\n")
}

// Changes of the tools can be compared, and the preview shows them as a rewind restores them.
func TestTheDifferencesOfASession(t *testing.T) {
	_, disk, files := changed(t, sealed)
	d, err := files.Diff(context.Background(), "session", false)
	if err != nil || len(d.Changes) != 1 || d.Changes[0].Path != "a.txt" || !strings.Contains(d.Changes[0].Diff, "-old\n+new\n") {
		t.Errorf("Diff = %+v, %v", d, err)
	}
	preview, tracking, busy, err := files.Preview(context.Background(), theMessage)
	want := []wire.RewindFile{{Path: theFile, ChangeType: "modified", LinesAdded: 1, LinesRemoved: 1}}
	if diff := cmp.Diff(want, preview); diff != "" || !tracking || busy || err != nil {
		t.Errorf("Preview: %v, %v, %v (-want +got):\n%s", tracking, busy, err, diff)
	}
	if _, err := files.Rewind(context.Background(), theMessage, true); err != nil {
		t.Fatal(err)
	}
	if info, err := disk.Stat(theFile); err != nil || info.Mode().Perm() != fs.FileMode(0o640) {
		t.Errorf("the restored file: %v, %v", info, err)
	}
	if left, err := disk.ReadDir("/kept/snapshots"); err != nil || len(left) != 1 {
		t.Errorf("%d old versions are kept, %v; the history still needs one", len(left), err)
	}
}
