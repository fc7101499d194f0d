package tool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

func TestSpill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "temp")
	whole := strings.Repeat("x", 100_000)
	r := tool.Spill(dir, tool.Result{Outcome: tool.Success, Text: whole, Detail: "d"}, 0)
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
	if diff := cmp.Diff(r, tool.Spill(dir, r, 0)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it made a folder for nothing")
	}
	if got := tool.Spill(dir, tool.Result{Text: "12345"}, 4).Text; !strings.HasPrefix(got, "Output too large to read at once (0.0 KB)") {
		t.Errorf("a limit of 4: %s", got)
	}
}

func TestSpillCountsCharacters(t *testing.T) {
	r := tool.Spill(t.TempDir(), tool.Result{Text: strings.Repeat("é", 600)}, 100)
	if _, got, _ := strings.Cut(r.Text, "chars):\n"); got != strings.Repeat("é", 500) {
		t.Errorf("the preview has %d bytes, want 500 characters", len(got))
	}
}

// Where nothing can be written the model still gets what fits, and is told.
func TestSpillWithoutAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, "", false)
	r := tool.Spill(filepath.Join(file, "temp"), tool.Result{Text: strings.Repeat("é", 100)}, 101)
	head, note, _ := strings.Cut(r.Text, "\n")
	if head != strings.Repeat("é", 50) || !strings.Contains(note, "0.2 KB; the rest could not be saved") || !strings.Contains(note, "not a directory") {
		t.Errorf("the model reads %q", r.Text)
	}
}

func TestSpillKeepsTheNewest(t *testing.T) {
	dir := t.TempDir()
	for i := range 250 {
		put(t, filepath.Join(dir, fmt.Sprintf("%d-copilot-tool-output-a.txt", 1000+i)), "x", false)
	}
	put(t, filepath.Join(dir, "notes.txt"), "of somebody else", false)
	put(t, filepath.Join(dir, "my-copilot-tool-output-a.txt"), "of somebody else", false)
	tool.Spill(dir, tool.Result{Text: "12345"}, 4)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 200+2 {
		t.Errorf("%d files are left (%v), want 202", len(left), err)
	}
	for name, want := range map[string]bool{
		"notes.txt": true, "my-copilot-tool-output-a.txt": true,
		"1050-copilot-tool-output-a.txt": false, "1051-copilot-tool-output-a.txt": true,
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}

func TestSpillKeepsABoundedSize(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"1000-copilot-tool-output-a.txt", "1001-copilot-tool-output-a.txt"} {
		put(t, filepath.Join(dir, name), "", false)
		if err := os.Truncate(filepath.Join(dir, name), int64(150-i)<<20); err != nil { // a hole: it takes no room
			t.Fatal(err)
		}
	}
	tool.Spill(dir, tool.Result{Text: "12345"}, 4)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 || left[0].Name() != "1001-copilot-tool-output-a.txt" {
		t.Errorf("%v are left (%v)", left, err)
	}
}
