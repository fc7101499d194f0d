package files_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

// FuzzOpen opens any bytes as a log. Every line that is sound is a record, what
// is removed is saved, the log is tidy afterwards, and a second Open repairs nothing.
func FuzzOpen(f *testing.F) {
	for _, log := range []string{
		"", "{}\n{\"a\":1}\n", "{}\n{\"a", "{}", "{}\x00\x00", "\x00\x00\n{}\n", "x\n{}\ny", "{}{}\n{}{}", "{}\r\n\r\n {} ", "{}\n\n\x00",
		"{\"a\":\"\u2028\"}\n[]\n{}x\n{} {", "\xef\xbb\xbf{}\n", "{\"a\":\"\n\"}\n{}\n", "{\"a\":\"\n{}\n\"}\n", "{\"a\":{\"type\":\"x\"}\n{}",
		"{\"a\":\"x{\"type\":\"b\"}\n{}\n", "{\"a\":{\"a\":{\"a\":[{}\n\n{}", "{\"a\":\"\\u12{\"type\":\"\\u00e9\x01\"}", "{\"{\"{\"{\"type\":\"\"}",
	} {
		f.Add([]byte(log))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		fsys := withLog(t, log)
		scanned := logtest.Collect(t, mustOpen(t, files.Options{Root: root, FS: fsys}).Scan(context.Background(), "s"))
		s, repair := openS(t, fsys)
		got := logtest.Collect(t, s.Read(1))
		if !slices.Equal(got, scanned) {
			t.Errorf("Open finds %q, Scan %q", got, scanned)
		}
		if uint64(len(got)) != s.Len() {
			t.Errorf("Len() = %d, and there are %d records", s.Len(), len(got))
		}
		for _, rec := range got {
			if !json.Valid([]byte(rec)) || rec[0] != '{' {
				t.Errorf("record %q is not an object", rec)
			}
		}
		for i, want := 0, soundLines(log); len(want) > 0; i++ {
			if i == len(got) {
				t.Fatalf("%q is lost, left are %q", want, got)
			}
			if got[i] == want[0] {
				want = want[1:]
			}
		}
		after := logOf(t, fsys)
		if tidy := strings.Join(append(got, ""), "\n"); after != tidy || s.Size() != int64(len(after)) {
			t.Errorf("the log is %q (Size() = %d), want %q", after, s.Size(), tidy)
		}
		switch {
		case repair == nil && after != string(log):
			t.Errorf("%q has become %q without a word", log, after)
		case repair != nil && repair.Reason == "":
			t.Errorf("%+v has no reason", repair)
		case repair != nil && repair.CutBytes > 0:
			checkSaved(t, fsys, repair, "cut", string(log[len(log)-int(repair.CutBytes):]))
		case repair != nil && repair.SavedAs != "":
			checkSaved(t, fsys, repair, "damaged", string(log))
		}

		again, second := openS(t, fsys)
		if second != nil {
			t.Errorf("the second Open finds %+v, the first %+v", second, repair)
		}
		if logOf(t, fsys) != after || !slices.Equal(logtest.Collect(t, again.Read(1)), got) {
			t.Errorf("the second Open has changed %q to %q", after, logOf(t, fsys))
		}
		logtest.Append(t, again, int(again.Len())+1, int(again.Len())+1)
		if n := uint64(len(got) + 1); again.Len() != n || len(logtest.Collect(t, again.Read(n))) != 1 {
			t.Errorf("an appended record is not record %d", n)
		}
	})
}

// soundLines returns the lines that are one object and nothing else, as text.
func soundLines(log []byte) (sound []string) {
	for line := range bytes.SplitSeq(log, []byte("\n")) {
		line = bytes.Trim(line, " \t\r\x00")
		if len(line) > 0 && line[0] == '{' && json.Valid(line) {
			sound = append(sound, strings.ToValidUTF8(string(line), "\ufffd"))
		}
	}
	return sound
}
