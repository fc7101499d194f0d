package files_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

func TestImport(t *testing.T) {
	const (
		start = `{"type":"session.start","data":{"sessionId":"theirs"}}`
		user  = `{"type":"user.message","data":{"content":"hi"}}`
	)
	for _, tc := range []struct {
		rule, log, id string
		want          files.Imported // without an id if it is fresh
		records       []string
	}{
		{"it is called as it was", start + "\n" + user + "\n", "", files.Imported{Session: "theirs", Records: 2}, []string{start, user}},
		{"or as is wanted", start + "\n", "mine", files.Imported{Session: "mine", Records: 1}, []string{start}},
		{"or anew", user + "\n", "", files.Imported{Records: 1}, []string{user}},
		{"or anew, if its id is none", `{"type":"session.start","data":{"sessionId":7}}` + "\n", "", files.Imported{Records: 1}, []string{`{"type":"session.start","data":{"sessionId":7}}`}},
		{"what only speaks of a start is none", `{"type":"user.message","data":{"content":"session.start","sessionId":"x"}}` + "\n" + start + "\n", "", files.Imported{Session: "theirs", Records: 2}, []string{`{"type":"user.message","data":{"content":"session.start","sessionId":"x"}}`, start}},
		{
			"a torn end", start + "\n{\"torn", "",
			files.Imported{Session: "theirs", Records: 1, Repair: &files.Repair{CutBytes: 6, Reason: "the last line was not finished"}},
			[]string{start},
		},
		{
			"what is no event is left out", start + "\n{}\n" + user + "\n" + `{"type":"module"}` + "\n", "",
			files.Imported{Session: "theirs", Records: 2, Others: []uint64{2, 4}, OtherCount: 2},
			[]string{start, user},
		},
		{
			"damage in the middle", user[:20] + start + "\nx\n" + user + "\n", "",
			files.Imported{Session: "theirs", Records: 2, Repair: &files.Repair{
				Salvaged: 1, Dropped: 2, Reason: "1 event was not in order and was recovered; 2 broken pieces held no event",
			}},
			[]string{start, user},
		},
	} {
		t.Run(tc.rule, func(t *testing.T) { checkImport(t, tc.log, tc.id, tc.want, tc.records) })
	}
}

// checkImport imports a log under an id, "" for its own. Without a session in want any will do.
func checkImport(t *testing.T, log, id string, want files.Imported, records []string) {
	t.Helper()
	mem := vfs.NewMem()
	folder := "/elsewhere/of them"
	if err := mem.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, mem, filepath.Join(folder, "events.jsonl"), []byte(log))
	store := mustOpen(t, files.Options{Root: root, FS: mem})
	got, err := store.Import(folder, id, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if want.Session == "" {
		want.Session = got.Session
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Import() (-want +got):\n%s", diff)
	}
	s, repair, err := openIn(store, got.Session)
	if err != nil || repair != nil {
		t.Fatalf("Open() = %+v, %v", repair, err)
	}
	defer s.Close()
	if diff := cmp.Diff(records, logtest.Collect(t, s.Read(1))); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if now, err := mem.ReadFile(filepath.Join(folder, "events.jsonl")); err != nil || string(now) != log {
		t.Errorf("what was imported is now %q, %v", now, err)
	}
}

func TestRefusedImports(t *testing.T) {
	const file = "/elsewhere/log"
	for _, tc := range []struct {
		rule, log, path, id string
		kind                fault.Kind
		says                string
	}{
		{"an id that is taken", "{}", file, "s", fault.Conflict, "a session with this id exists"},
		{"its own id, if that is taken", `{"type":"session.start","data":{"sessionId":"s"}}`, file, "", fault.Conflict, "s: a session with this id exists"},
		{"an id that is none", "{}", file, "../s", fault.Invalid, "not a session id"},
		{"its own id, if that is none", `{"type":"session.start","data":{"sessionId":"a/b"}}`, file, "", fault.Invalid, "not a session id"},
		{"an empty file", "", file, "", fault.Invalid, "nothing in it is an event"},
		{"another file", strings.Repeat("no event\n", 1000), file, "", fault.Invalid, "nothing in it is an event"},
		{"compressed bytes with braces", "\x1f\x8b\x08\x00{}\x00\xff\n{}\n\xfe{\"a\":1}", file, "", fault.Invalid, "give an events.jsonl"},
		{"other JSON", "{\n  \"name\": \"x\",\n  \"type\": \"module\"\n}\n", file, "", fault.Invalid, "nothing in it is an event"},
		{"no file", "{}", "/elsewhere/no", "", fault.NotFound, "/elsewhere/no"},
		{"a folder without a log", "{}", "/elsewhere", "", fault.NotFound, "/elsewhere/events.jsonl"},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			mem := closedLog(t, 3)
			if err := mem.MkdirAll("/elsewhere", 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, mem, file, []byte(tc.log))
			store := mustOpen(t, files.Options{Root: root, FS: mem})
			_, err := store.Import(tc.path, tc.id, nothing)
			wantKind(t, err, tc.kind)
			wantHint(t, err, tc.says)
			if infos, err := store.Sessions(context.Background()); err != nil || len(infos) != 1 {
				t.Errorf("there are sessions %v, %v", infos, err)
			}
			if left, err := mem.ReadDir(filepath.Join(root, ".deleted")); err == nil && len(left) > 0 {
				t.Errorf("%v is left over", left)
			}
			if s, repair := openS(t, mem); s.Len() != 3 || repair != nil {
				t.Errorf("the session that was there has %d records, %+v", s.Len(), repair)
			}
		})
	}
}

// nothing is what is to be done before an import makes its session.
func nothing(string) error { return nil }

// Import calls its function before there is a session, and makes none if it fails.
func TestImportCallsBeforeTheSessionExists(t *testing.T) {
	for _, tc := range []struct {
		name, id string
		fails    error
		called   []string
		sessions int
	}{
		{"it succeeds", "new", nil, []string{"new"}, 2},
		{"it fails", "new", errors.New("the disk is full"), []string{"new"}, 1},
		{"the id is taken", "s", nil, nil, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const file = "/elsewhere/events.jsonl"
			mem := closedLog(t, 3)
			if err := mem.MkdirAll("/elsewhere", 0o700); err != nil {
				t.Fatal(err)
			}
			put(t, mem, file, []byte(`{"type":"session.start","data":{"sessionId":"`+tc.id+`"}}`))
			store := mustOpen(t, files.Options{Root: root, FS: mem})
			var called []string
			_, err := store.Import(file, "", func(session string) error {
				if infos, err := store.Sessions(context.Background()); err != nil || len(infos) != 1 {
					t.Errorf("before the import there are %v, %v", infos, err)
				}
				called = append(called, session)
				return tc.fails
			})
			if (err == nil) != (tc.sessions == 2) || tc.fails != nil && !strings.Contains(err.Error(), tc.fails.Error()) {
				t.Errorf("Import() = %v", err)
			}
			if diff := cmp.Diff(tc.called, called); diff != "" {
				t.Errorf("called (-want +got):\n%s", diff)
			}
			if infos, err := store.Sessions(context.Background()); err != nil || len(infos) != tc.sessions {
				t.Errorf("there are sessions %v, %v", infos, err)
			}
		})
	}
}
