package tool_test

import (
	"context"
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

// Where nothing can be written the model still gets what fits, and is told.
func TestSpillWithoutAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "", false)
	r := tool.Spill(tool.Result{Text: strings.Repeat("é", 100)}, 101, saver(filepath.Join(file, "temp")))
	head, note, _ := strings.Cut(r.Text, "\n")
	if head != strings.Repeat("é", 50) || !strings.Contains(note, "0.2 KB; the rest could not be saved") || !strings.Contains(note, "not a directory") {
		t.Errorf("the model reads %q", r.Text)
	}
}
