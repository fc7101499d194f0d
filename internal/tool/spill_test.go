package tool_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// saver saves outputs in a folder, as a session does.
func saver(dir string) func(string) (string, error) {
	return func(text string) (string, error) {
		return workspace.SaveOutput(context.Background(), workspace.Folder{FS: vfs.OS{}, Dir: dir}, ".", text)
	}
}

func TestSpill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "temp")
	whole := strings.Repeat("x", 100_000)
	r := tool.Spill(tool.Result{Outcome: tool.Success, Text: whole, Detail: "d"}, 0, saver(dir))
	path := regexp.MustCompile(`Saved to: (.*)\n`).FindStringSubmatch(r.Text)[1]
	want := "Output too large to read at once (97.7 KB). Saved to: " + path + `
Consider using tools like grep (for searching), head/tail (for viewing start/end), view with view_range (for specific sections), or jq (for JSON) to examine portions of the output.

Preview (first 500 chars):
` + strings.Repeat("x", 500)
	if r.Text != want || r.Detail != "d" || r.Outcome != tool.Success {
		t.Errorf("the model reads\n%s\nwant\n%s", r.Text, want)
	}
	if !regexp.MustCompile(`^\d{13}-copilot-tool-output-[a-z0-9]+\.txt$`).MatchString(filepath.Base(path)) || filepath.Dir(path) != dir {
		t.Errorf("the file is %s", path)
	}
	if saved, err := os.ReadFile(path); err != nil || string(saved) != whole {
		t.Errorf("the file holds %d bytes (%v), want %d", len(saved), err, len(whole))
	}
}

func TestSpillLeavesWhatFits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "temp")
	r := tool.Result{Outcome: tool.Success, Text: strings.Repeat("x", tool.SpillLimit)}
	if diff := cmp.Diff(r, tool.Spill(r, 0, saver(dir))); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it made a folder for nothing")
	}
	if got := tool.Spill(tool.Result{Text: "12345"}, 4, saver(dir)).Text; !strings.HasPrefix(got, "Output too large to read at once (0.0 KB)") {
		t.Errorf("a limit of 4: %s", got)
	}
}

func TestSpillCountsCharacters(t *testing.T) {
	r := tool.Spill(tool.Result{Text: strings.Repeat("é", 600)}, 100, saver(t.TempDir()))
	if _, got, _ := strings.Cut(r.Text, "chars):\n"); got != strings.Repeat("é", 500) {
		t.Errorf("the preview has %d bytes, want 500 characters", len(got))
	}
}

// lines are numbered lines of 10 bytes.
func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "line %04d\n", i)
	}
	return b.String()
}

// Of a long text with lines the model reads the beginning and the end, in whole lines, and in
// between how much is missing and where it is. A command's exit code is part of the end.
func TestSpillKeepsBothEnds(t *testing.T) {
	const exit = "<exited with exit code 3>"
	whole := lines(1, 9999) + exit
	r := tool.Spill(tool.Result{Outcome: tool.Success, Text: whole, Exit: &tool.Exit{Code: 3}}, 0, saver(filepath.Join(t.TempDir(), "temp")))
	if saved, err := os.ReadFile(r.Saved); err != nil || string(saved) != whole {
		t.Fatalf("the file %q has %d bytes (%v), want %d", r.Saved, len(saved), err, len(whole))
	}
	head, rest, _ := strings.Cut(r.Text, "\n\n")
	if want := "Output too large to read at once (97.7 KB). Saved to: " + r.Saved + "\n"; !strings.HasPrefix(head, want) {
		t.Errorf("the text begins %q, want %q", head, want)
	}
	want := lines(1, 819) + "\n[77.7 KB are left out here; they are in " + r.Saved + "]\n\n" + lines(8774, 9999) + exit
	if diff := cmp.Diff(want, rest); diff != "" {
		t.Error(diff)
	}
}

// The limit of a session holds, but the exit code, with what the sandbox says after it, is never lost.
func TestSpillWithALowLimit(t *testing.T) {
	const exit = "<exited with exit code 3>\n<the sandbox has refused this: a connection; its limits: it has no network>"
	for _, limit := range []int{1, 50, 1000, 4096} {
		r := tool.Spill(tool.Result{Text: lines(1, 9999) + exit, Exit: &tool.Exit{Code: 3}}, limit, saver(filepath.Join(t.TempDir(), "temp")))
		_, shown, _ := strings.Cut(r.Text, "\n\n")
		if shown = regexp.MustCompile(`\n\[.* left out here; they are in .*\]\n\n`).ReplaceAllString(shown, ""); len(shown) > max(limit, limit*2/5+len(exit))+1 {
			t.Errorf("limit %d: the model reads %d bytes of the text", limit, len(shown))
		}
		if !strings.HasSuffix(r.Text, exit) {
			t.Errorf("limit %d: the text ends %q", limit, r.Text[len(r.Text)-100:])
		}
	}
	r := tool.Spill(tool.Result{Outcome: tool.Failure, Text: lines(1, 9) + "the reason"}, 20, saver(filepath.Join(t.TempDir(), "temp")))
	if !strings.HasSuffix(r.Text, "]\n\nthe reason") || r.Outcome != tool.Failure {
		t.Errorf("a failure (%s) reads %q", r.Outcome, r.Text)
	}
}

// If the line that begins the second run is left out, the model still reads that what follows ran
// outside the sandbox.
func TestSpillSaysThatTheEndIsASecondRun(t *testing.T) {
	text := lines(1, 3000) + "<exited with exit code 1>\n" + tool.SecondRun + "\n" + lines(3001, 9000) + "<exited with exit code 0>"
	r := tool.Spill(tool.Result{Text: text, Exit: &tool.Exit{}}, 0, saver(filepath.Join(t.TempDir(), "temp")))
	if !regexp.MustCompile(`\[.* left out here; .*\]\n\n` + tool.SecondRun + `\nline \d{4}\n`).MatchString(r.Text) {
		t.Errorf("the model reads\n%s", r.Text)
	}
}

// Where nothing can be written the model still gets both ends, and is told that the rest is lost.
func TestSpillWithoutAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "", false)
	r := tool.Spill(tool.Result{Text: strings.Repeat("é", 100)}, 101, saver(filepath.Join(file, "temp")))
	head, rest, _ := strings.Cut(r.Text, "\n\n")
	note, tail, _ := strings.Cut(rest, "\n\n")
	if head != strings.Repeat("é", 20) || tail != strings.Repeat("é", 30) || !strings.Contains(note, "0.1 KB are left out here; they could not be saved to a file") || !strings.Contains(note, "not a directory") {
		t.Errorf("the model reads %q", r.Text)
	}
	r = tool.Spill(tool.Result{Text: lines(1, 9999) + "<exited with exit code 3>", Exit: &tool.Exit{Code: 3}}, 0, saver(filepath.Join(file, "temp")))
	if !strings.HasPrefix(r.Text, "line 0001\n") || !strings.HasSuffix(r.Text, "line 9999\n<exited with exit code 3>") || r.Saved != "" {
		t.Errorf("of a command the model reads %q", r.Text)
	}
}
