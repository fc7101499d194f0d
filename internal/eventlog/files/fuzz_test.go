package files_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/logtest"
)

// FuzzOpen opens any bytes as a log: every line that is sound is a record, what
// is cut is saved, and a second Open finds nothing to cut.
func FuzzOpen(f *testing.F) {
	for _, log := range []string{
		"", "{}\n{\"a\":1}\n", "{}\n{\"a", "{}", "{}\x00\x00", "\x00\x00\n{}\n", "x\n{}\ny", "{}{}\n{}{}", "{}\r\n\r\n {} ", "{}\n\n\x00",
		"{\"a\":\"\u2028\"}\n[]\n{}x\n{} {", "\xef\xbb\xbf{}\n", "{\"a\":\"\n\"}\n{}\n",
	} {
		f.Add([]byte(log))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		fsys := withLog(t, log)
		s, repair := openS(t, fsys)
		got := logtest.Collect(t, s.Read(1))
		if uint64(len(got)) != s.Len() {
			t.Errorf("Len() = %d, and there are %d records", s.Len(), len(got))
		}
		for _, rec := range got {
			if !json.Valid([]byte(rec)) || rec[0] != '{' {
				t.Errorf("record %q is no object", rec)
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
		saved := ""
		if repair != nil && repair.CutBytes > 0 {
			b, err := fsys.ReadFile(repair.SavedAs)
			if err != nil || int64(len(b)) != repair.CutBytes || filepath.Dir(repair.SavedAs) != filepath.Join(root, "s") {
				t.Errorf("%d bytes saved, %v, by %+v", len(b), err, repair)
			}
			saved = string(b)
		}
		if kept := len(log) - len(saved); after[:min(kept, len(after))]+saved != string(log) || s.Size() != int64(len(after)) {
			t.Errorf("%q has become %q (Size() = %d), with %q saved", log, after, s.Size(), saved)
		}

		again, second := openS(t, fsys)
		if second != nil && (second.CutBytes > 0 || repair == nil || !slices.Equal(second.SkippedLines, repair.SkippedLines)) {
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

// soundLines returns the lines that are one object and nothing else.
func soundLines(log []byte) (sound []string) {
	for line := range bytes.SplitSeq(log, []byte("\n")) {
		line = bytes.Trim(line, " \t\r\x00")
		if len(line) > 0 && line[0] == '{' && json.Valid(line) {
			sound = append(sound, string(line))
		}
	}
	return sound
}
