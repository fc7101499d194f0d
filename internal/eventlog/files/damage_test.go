package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const (
	all      = "session.start user.message assistant.message session.idle"
	noUser   = "session.start assistant.message session.idle"
	noAnswer = "session.start user.message session.idle"
)

// damages has the files of testdata/damage, and what opening each must give.
var damages = []struct {
	file, types string
	repair      *files.Repair // but for SavedAs
	altered     string        // the one record that is not as it stood in the log
}{
	{"empty", "", nil, ""},
	{"missing_fields", "session.start - - user.message", nil, ""},
	{"call_without_result", "session.start assistant.message tool.execution_start", nil, ""},
	{"line_separators", noAnswer, nil, ""},
	{"invalid_utf8", "session.start user.message", &files.Repair{Salvaged: 1, Reason: "1 event was not in order and was recovered"}, "{\"type\":\"user.message\",\"data\":{\"content\":\"\ufffd\"}}"},
	{"truncated_last_line", "session.start user.message", &files.Repair{CutBytes: 70, Reason: "the last line was not finished"}, ""},
	{"no_line_feed", "session.start user.message", &files.Repair{Reason: "the last line had no line feed"}, ""},
	{"nul_tail", "session.start user.message", &files.Repair{CutBytes: 40, Reason: "the log ended in 40 NUL bytes"}, ""},
	{"nul_tail_in_record", "session.start user.message", &files.Repair{CutBytes: 90, Reason: "the last line was not finished and ended in 40 NUL bytes"}, ""},
	{"nul_run_between", all, &files.Repair{Reason: "there were blanks between the events"}, ""},
	{"nul_run_over_two_records", "session.start session.idle", dropped(1), ""},
	{"two_on_a_line", all, &files.Repair{Salvaged: 2, Reason: "2 events were not in order and were recovered"}, ""},
	{"half_and_whole", noUser, salvaged(1), ""},
	{"half_and_whole_at_end", "session.start assistant.message", salvaged(1), ""},
	{"half_ends_in_colon", noUser, salvaged(1), ""},
	{"half_lines", "session.start session.idle", dropped(1), ""},
	{"binary_garbage", noAnswer, dropped(1), ""},
	{"windows_line_ends", noAnswer, &files.Repair{Reason: "there were blanks between the events"}, ""},
	{"blank_lines", noAnswer, &files.Repair{Reason: "there were blanks between the events"}, ""},
	{"byte_order_mark", "session.start user.message", salvaged(1), ""},
	{"not_a_log", "", &files.Repair{CutBytes: 60, Reason: "the end of the log held no event"}, ""},
	{
		"json_list", noAnswer,
		&files.Repair{Salvaged: 2, Dropped: 4, Reason: "2 events were not in order and were recovered; 4 broken pieces held no event"}, "",
	},
	{
		"line_feed_in_string", noAnswer, &files.Repair{Salvaged: 1, Reason: "1 event was not in order and was recovered"},
		`{"type":"user.message","data":{"content":"first\nsecond\n\nthird"},"id":"e2","timestamp":"2026-01-02T03:04:02.000Z","parentId":"e1"}`,
	},
	{
		"control_characters", noAnswer, &files.Repair{Salvaged: 1, Reason: "1 event was not in order and was recovered"},
		`{"type":"user.message","data":{"content":"tab\tbell\u0007return\r."},"id":"e2","timestamp":"2026-01-02T03:04:02.000Z","parentId":"e1"}`,
	},
}

// TestDamage opens logs with every sort of damage that was found in logs of this runtime
// or of others; they are in testdata/damage. Every readable event is there, in order
// and as it was written; the removed parts are kept in a file beside the log.
func TestDamage(t *testing.T) {
	for _, tc := range damages {
		t.Run(tc.file, func(t *testing.T) {
			log, err := os.ReadFile("testdata/damage/" + tc.file + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			fsys := withLog(t, log)
			scanned := logtest.Collect(t, mustOpen(t, files.Options{Root: root, FS: fsys}).Scan(context.Background(), "s"))
			s, repair := openS(t, fsys)
			got := logtest.Collect(t, s.Read(1))
			if diff := cmp.Diff(scanned, got); diff != "" {
				t.Errorf("Scan and Open differ (-scan +open):\n%s", diff)
			}
			checkRecords(t, got, log, tc.types, tc.altered)
			if diff := cmp.Diff(tc.repair, repair, cmpopts.IgnoreFields(files.Repair{}, "SavedAs")); diff != "" {
				t.Errorf("Repair (-want +got):\n%s", diff)
			}
			checkKept(t, fsys, repair, log)
			if got, want := logOf(t, fsys), strings.Join(append(got, ""), "\n"); got != want {
				t.Errorf("the log is now %q, want %q", got, want)
			}
			if _, again := openS(t, fsys); again != nil {
				t.Errorf("a second Open finds %+v", again)
			}
		})
	}
}

func dropped(n int) *files.Repair {
	return &files.Repair{Dropped: n, Reason: "1 broken piece held no event"}
}

func salvaged(n int) *files.Repair {
	return &files.Repair{
		Salvaged: n, Dropped: 1, Reason: "1 event was not in order and was recovered; 1 broken piece held no event",
	}
}

// checkRecords checks that there are records of these types, "-" for none, each as it was
// in the log, except the altered one.
func checkRecords(t *testing.T, got []string, log []byte, types, altered string) {
	t.Helper()
	var found []string
	for _, rec := range got {
		e := struct{ Type string }{"-"}
		if err := json.Unmarshal([]byte(rec), &e); err != nil {
			t.Errorf("%q: %v", rec, err)
		}
		found = append(found, e.Type)
		if !bytes.Contains(log, []byte(rec)) && rec != altered {
			t.Errorf("%s was not in the log", rec)
		}
	}
	if got := strings.Join(found, " "); got != types {
		t.Errorf("records are of types\n%s, want\n%s", got, types)
	}
}

// checkKept checks that the file beside the log has what is no longer in the log, and
// nothing else.
func checkKept(t *testing.T, fsys vfs.FS, repair *files.Repair, log []byte) {
	t.Helper()
	beside := ""
	entries, err := fsys.ReadDir(filepath.Join(root, "s"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "events.jsonl.") {
			beside += filepath.Join(root, "s", e.Name())
		}
	}
	if repair == nil || repair.Reason == "the last line had no line feed" {
		if beside != "" {
			t.Errorf("there is %s", beside)
		}
		return
	}
	if beside != repair.SavedAs {
		t.Errorf("there is %q, want only %q", beside, repair.SavedAs)
	}
	if repair.CutBytes > 0 {
		checkSaved(t, fsys, repair, "cut", string(log[len(log)-int(repair.CutBytes):]))
	} else {
		checkSaved(t, fsys, repair, "damaged", string(log))
	}
}

// TestAWholeRecordBehindHalfOfOneIsFound cuts a record at every byte and appends another
// one, on the same line and on the next, as a program does that continues after a
// crash.
func TestAWholeRecordBehindHalfOfOneIsFound(t *testing.T) {
	half := `{"type":"a","data":{"s":"x \"y\" \\ \u00e9 {}","n":[1,-2.5e+3,true,null,{"k":{}}],"e":{}},"id":"1"}`
	const whole = `{"type":"b","data":{"s":"{\"type\":\"c\"}"},"id":"2"}`
	for n := 1; n < len(half); n++ {
		for _, between := range []string{"", "\n", "\x00\x00", "\n\x00"} {
			for _, behind := range []string{"\n", "\n{\"id\":3}\n", "", `{"type":"d"}` + "\n"} {
				log := half[:n] + between + whole + behind
				s, _ := openS(t, withLog(t, []byte(log)))
				got := logtest.Collect(t, s.Read(1))
				if len(got) == 0 || got[0] != whole || len(got) != 1+strings.Count(behind, "{") {
					t.Errorf("of %q is left %q", log, got)
				}
			}
		}
	}
}

// TestSalvageTakesTimeInProportion has logs for which starting again at each brace would
// take hours.
func TestSalvageTakesTimeInProportion(t *testing.T) {
	const mega = 1 << 18
	for name, garbage := range map[string]string{
		"braces":               strings.Repeat(`{`, 8*mega),
		"names":                strings.Repeat(`{"`, 4*mega),
		"objects never closed": strings.Repeat(`{"a":`, mega),
		"deep and long":        strings.Repeat(`{"a":`, 9000) + "[" + strings.Repeat(`1,`, 4*mega),
		"a string":             `{"a":"` + strings.Repeat("x", 8*mega),
		"a string of lines":    strings.Repeat("{\"a\":\"x\n", mega),
		"objects in a list":    `{"a":[` + strings.Repeat(`{"type":"b"},`, mega/2),
		"lists":                strings.Repeat(`{"a":[[[[[[[[`, mega/2),
		"lines of braces":      strings.Repeat("{\n", 4*mega),
		"blanks":               `{"a":{"type":"b"}` + strings.Repeat(" \n", 4*mega) + "x",
	} {
		t.Run(name, func(t *testing.T) {
			s, repair := openS(t, withLog(t, []byte("{}\n"+garbage+"\x00\n{\"b\":1}\n")))
			got := logtest.Collect(t, s.Read(1))
			if len(got) < 2 || got[0] != "{}" || got[len(got)-1] != `{"b":1}` || repair == nil {
				t.Errorf("%d records are left, and %+v", len(got), repair)
			}
		})
	}
}

// TestALineAboveTheLimitHidesNothing: complete records in it are found, though the
// line cannot be held in memory.
func TestALineAboveTheLimitHidesNothing(t *testing.T) {
	part := strings.Repeat("x", 22<<20)
	log := fmt.Sprintf(`{"type":"a"}%s{"type":"b"}%[1]s{"type":"c","s":"%[1]s"}%[1]s{"type":"d"}`+"\n{}\n", part)
	s, repair := openS(t, withLog(t, []byte(log)))
	var sizes []int
	for rec, err := range s.Read(1) {
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(rec.JSON))
	}
	if diff := cmp.Diff([]int{12, 12, len(part) + 19, 12, 2}, sizes); diff != "" || repair.Salvaged != 4 {
		t.Errorf("sizes of records (-want +got):\n%s\n%+v", diff, repair)
	}
}
