//go:build local

package local

import (
	"os"
	"path/filepath"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
)

// shortFolder makes a folder with a short name, which the model has to copy: it drops digits of a long number.
func shortFolder(t *testing.T) string {
	for letter := 'a'; letter <= 'z'; letter++ {
		work := "/tmp/w" + string(letter)
		if os.Mkdir(work, 0o700) == nil {
			t.Cleanup(func() { _ = os.RemoveAll(work) }) // what is left is in the temporary folder
			return work
		}
	}
	t.Fatal("/tmp/wa to /tmp/wz exist already; remove them")
	return ""
}

// The model calls each tool of the small set, by its own name and arguments, and the tool does its work.
func TestEachToolOfTheSmallSet(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 120})
	c := start(t, t.TempDir())
	work := shortFolder(t)
	file := func(name string) string { return filepath.Join(work, name) }
	read := func(name, want string) func() {
		return func() {
			if got, err := os.ReadFile(file(name)); err != nil || string(got) != want {
				t.Errorf("%s has %q, %v; want %q", name, got, err, want)
			}
		}
	}
	if err := os.WriteFile(file("a.txt"), []byte("low tide\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		call    toolCall
		outcome func() // checks what the call has done; nil for those that only read
	}{
		{toolCall{"bash", `{"command": "echo 1 > n", "description": "write"}`}, read("n", "1\n")},
		{toolCall{"view", `{"path": "` + file("a.txt") + `"}`}, nil},
		{toolCall{"create", `{"path": "` + file("b.txt") + `", "file_text": "one"}`}, read("b.txt", "one")},
		{toolCall{"edit", `{"path": "` + file("a.txt") + `", "old_str": "low", "new_str": "high"}`}, read("a.txt", "high tide\n")},
		{toolCall{"grep", `{"pattern": "tide"}`}, nil},
		{toolCall{"glob", `{"pattern": "*.txt"}`}, nil},
	} {
		t.Run(tc.call.name, func(t *testing.T) {
			s, _ := called(t, c, copilot.SessionConfig{
				Provider: m.provider(), AvailableTools: []string{"builtin:" + tc.call.name}, WorkingDirectory: work,
			}, tc.call)
			done := all[*copilot.ToolExecutionCompleteData](s)
			if len(done) != 1 || !done[0].Success {
				t.Fatalf("the tool did not do its work:\n%s", s.told())
			}
			if tc.outcome != nil {
				tc.outcome()
			}
		})
	}
}
