package files_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const root = "/home/state"

// withLog returns a file system where session "s" has this log.
func withLog(t testing.TB, log []byte) vfs.FS {
	t.Helper()
	fsys := vfs.NewMem()
	dir := filepath.Join(root, "s")
	if err := vfs.MkdirAllSync(fsys, dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(fsys, filepath.Join(dir, "events.jsonl"), log, 0o600); err != nil {
		t.Fatal(err)
	}
	return fsys
}

func logOf(t testing.TB, fsys vfs.FS) string {
	t.Helper()
	b, err := fsys.ReadFile(filepath.Join(root, "s", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func openS(t testing.TB, fsys vfs.FS) (*logtest.Writer, *files.Repair) {
	t.Helper()
	s, repair, err := openIn(mustOpen(t, files.Options{Root: root, FS: fsys}), "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, repair
}

var (
	longRecord    = `{"a":"` + strings.Repeat("x", 200_000) + `"}`
	largeRecord   = `{"a":"` + strings.Repeat("x", 20<<20) + `"}`
	tooLongRecord = `{"a":"` + strings.Repeat("x", 64<<20+100_000) + `"}`
)

// repairs has damaged logs, and what is left of them after they were opened.
var repairs = []struct {
	rule, log string
	want      []string
	after     string // the log, if it was changed
	repair    *files.Repair
	cut       string
}{
	{rule: "an empty file is an empty log"},
	{rule: "a sound log", log: "{}\n{\"b\":1}\n", want: []string{`{}`, `{"b":1}`}},
	{
		rule: "half a record is cut", log: "{}\n{\"b\":", want: []string{"{}"}, after: "{}\n",
		cut: `{"b":`, repair: &files.Repair{Reason: "the last line was not finished"},
	},
	{
		rule: "half the first record is cut", log: `{"b`, after: "",
		cut: `{"b`, repair: &files.Repair{Reason: "the last line was not finished"},
	},
	{
		rule: "a whole record without line feed is kept", log: "{}\n{\"b\":1}", want: []string{`{}`, `{"b":1}`},
		after: "{}\n{\"b\":1}\n", repair: &files.Repair{Reason: "the last line had no line feed"},
	},
	{
		rule: "NUL bytes at the end are cut", log: "{}\n\x00\x00\x00", want: []string{"{}"}, after: "{}\n",
		cut: "\x00\x00\x00", repair: &files.Repair{Reason: "the log ended in 3 NUL bytes"},
	},
	{
		rule: "NUL bytes behind a record are cut", log: "{}\x00\x00", want: []string{"{}"}, after: "{}\n",
		cut: "\x00\x00", repair: &files.Repair{Reason: "the log ended in 2 NUL bytes"},
	},
	{
		rule: "NUL bytes behind half a record", log: "{}\n{\"\x00\x00", want: []string{"{}"}, after: "{}\n",
		cut: "{\"\x00\x00", repair: &files.Repair{Reason: "the last line was not finished and ended in 2 NUL bytes"},
	},
	{
		rule: "nothing but NUL bytes", log: strings.Repeat("\x00", 100_000), after: "",
		cut: strings.Repeat("\x00", 100_000), repair: &files.Repair{Reason: "the log ended in 100000 NUL bytes"},
	},
	{
		rule: "NUL bytes before a record of somebody else", log: "{}\n\x00\x00{\"b\":1}\n", want: []string{`{}`, `{"b":1}`},
		after: "{}\n{\"b\":1}\n", repair: &files.Repair{Reason: "there were blanks between the events"},
	},
	{
		rule: "damaged lines are left out", log: "{}\n{\"a\n{\"b\":1}\nnull\n{}\n", want: []string{`{}`, `{"b":1}`, `{}`},
		after: "{}\n{\"b\":1}\n{}\n", repair: &files.Repair{Dropped: 2, Reason: "2 broken pieces held no event"},
	},
	{
		rule: "a damaged last line is cut also if it has ended", log: "{}\n{\"a\n", want: []string{"{}"}, after: "{}\n",
		cut: "{\"a\n", repair: &files.Repair{Reason: "the end of the log held no event"},
	},
	{
		rule: "damage in the middle and at the end", log: "x\n{}\n{", want: []string{"{}"}, after: "{}\n",
		repair: &files.Repair{Dropped: 2, Reason: "2 broken pieces held no event"},
	},
	{
		rule: "blank lines", log: "\n{}\n \t\r\n\n{\"b\":1}\n\n", want: []string{`{}`, `{"b":1}`},
		after: "{}\n{\"b\":1}\n", repair: &files.Repair{Reason: "there were blanks between the events"},
	},
	{
		rule: "Windows line ends", log: "{}\r\n{\"b\":1}\r\n", want: []string{`{}`, `{"b":1}`},
		after: "{}\n{\"b\":1}\n", repair: &files.Repair{Reason: "there were blanks between the events"},
	},
	{
		rule: "several objects on a line", log: "{}{\"b\":1} {\"c\":2}\n{\"d\":3}\n", want: []string{`{}`, `{"b":1}`, `{"c":2}`, `{"d":3}`},
		after: "{}\n{\"b\":1}\n{\"c\":2}\n{\"d\":3}\n", repair: &files.Repair{Salvaged: 3, Reason: "3 events were not in order and were recovered"},
	},
	{
		rule: "of several objects the last not finished", log: "{}{\"b\":1}{\"c\"", want: []string{`{}`, `{"b":1}`},
		after: "{}\n{\"b\":1}\n", repair: &files.Repair{Salvaged: 2, Dropped: 1, Reason: "2 events were not in order and were recovered; 1 broken piece held no event"},
	},
	{
		rule: "of two objects the last not finished is a cut", log: "{}\n{\"b\":1}{\"c\"", want: []string{`{}`, `{"b":1}`}, after: "{}\n{\"b\":1}\n",
		cut: `{"c"`, repair: &files.Repair{Reason: "the last line was not finished"},
	},
	{
		rule: "an object and something else on a line", log: "{}\n{\"b\":1}x\n{}\n", want: []string{`{}`, `{"b":1}`, `{}`}, after: "{}\n{\"b\":1}\n{}\n",
		repair: &files.Repair{Salvaged: 1, Dropped: 1, Reason: "1 event was not in order and was recovered; 1 broken piece held no event"},
	},
	{rule: "U+2028 in a string", log: "{\"a\":\"x\u2028y\u2029\"}\n", want: []string{"{\"a\":\"x\u2028y\u2029\"}"}},
	{rule: "a line above the window", log: "{}\n" + longRecord + "\n{}\n", want: []string{"{}", longRecord, "{}"}},
	{rule: "a line of 20 MB", log: "{}\n" + largeRecord + "\n{}\n", want: []string{"{}", largeRecord, "{}"}},
	{
		rule: "a line above the limit", log: "{}\n" + tooLongRecord + "\n{}\n", want: []string{"{}", "{}"}, after: "{}\n{}\n",
		repair: &files.Repair{Dropped: 1, Reason: "1 broken piece held no event"},
	},
	{
		rule: "a line above the limit that is not finished", log: "{}\n" + tooLongRecord, want: []string{"{}"}, after: "{}\n",
		cut: tooLongRecord, repair: &files.Repair{Reason: "the last line was not finished"},
	},
}

func TestRepair(t *testing.T) {
	for _, tc := range repairs {
		t.Run(tc.rule, func(t *testing.T) {
			fsys := withLog(t, []byte(tc.log))
			s, repair := openS(t, fsys)
			if diff := cmp.Diff(tc.want, logtest.Collect(t, s.Read(1)), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if tc.repair != nil {
				tc.repair.CutBytes = int64(len(tc.cut))
			}
			if diff := cmp.Diff(tc.repair, repair, cmpopts.IgnoreFields(files.Repair{}, "SavedAs")); diff != "" {
				t.Errorf("Repair (-want +got):\n%s", diff)
			}
			changed := tc.cut != "" || tc.after != ""
			if got := logOf(t, fsys); changed && got != tc.after || !changed && got != tc.log {
				t.Errorf("the log is now %.100q, want %.100q", got, tc.after)
			}
			if tc.repair != nil && (tc.repair.Reason == "there were blanks between the events" || tc.repair.Salvaged+tc.repair.Dropped > 0) {
				checkSaved(t, fsys, repair, "damaged", tc.log)
			} else {
				checkSaved(t, fsys, repair, "cut", tc.cut)
			}
			if err := s.Append(s.Len(), [][]byte{[]byte(`{"new":1}`)}, true); err != nil {
				t.Fatal(err)
			}
			again, repair := openS(t, fsys)
			if repair != nil {
				t.Errorf("a second Open repairs again: %+v", repair)
			}
			if got := logtest.Collect(t, again.Read(1)); !slices.Equal(got, append(tc.want, `{"new":1}`)) {
				t.Errorf("after an append there are %d records, want %d", len(got), len(tc.want)+1)
			}
		})
	}
}

func checkSaved(t *testing.T, fsys vfs.FS, repair *files.Repair, as, want string) {
	t.Helper()
	if want == "" {
		if repair != nil && repair.SavedAs != "" {
			t.Errorf("saved as %q, want nothing saved", repair.SavedAs)
		}
		return
	}
	got, err := fsys.ReadFile(repair.SavedAs)
	if err != nil || string(got) != want || !strings.HasPrefix(repair.SavedAs, filepath.Join(root, "s", "events.jsonl."+as+"-")) {
		t.Errorf("saved %.100q as %q, %v; want %.100q", got, repair.SavedAs, err, want)
	}
}

func TestTwoRepairsInAMillisecondKeepBoth(t *testing.T) {
	fsys := withLog(t, []byte("{}\n"))
	saved := map[string]bool{}
	for i := range 5 {
		f, err := fsys.OpenFile(filepath.Join(root, "s", "events.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(f, `{"torn":%d`, i)
		f.Close()
		_, repair := openS(t, fsys)
		checkSaved(t, fsys, repair, "cut", fmt.Sprintf(`{"torn":%d`, i))
		saved[repair.SavedAs] = true
	}
	if len(saved) != 5 {
		t.Errorf("%d files saved, want 5", len(saved))
	}
}

func TestOpenNeedsLittleMemory(t *testing.T) {
	dir := t.TempDir()
	line := append(logtest.Record(1), '\n')
	if err := os.Mkdir(filepath.Join(dir, "s"), 0o700); err != nil {
		t.Fatal(err)
	}
	log := bytes.Repeat(line, 16<<20/len(line))
	if err := os.WriteFile(filepath.Join(dir, "s", "events.jsonl"), log, 0o600); err != nil {
		t.Fatal(err)
	}
	store := mustOpen(t, files.Options{Root: dir})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, _, err := openIn(store, "s")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 512<<10 {
		t.Errorf("opening %d records, %d bytes, allocates %d bytes", s.Len(), s.Size(), used)
	}
}
