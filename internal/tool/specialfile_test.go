//go:build unix

package tool_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// A path that is not a regular file is refused, without waiting for it.
func TestSpecialFiles(t *testing.T) {
	p := newPlace(t, nil)
	if err := syscall.Mkfifo(filepath.Join(p.cwd, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(p.cwd, "pipe"): "it is a pipe, not a file",
		"/dev/zero":                  "it is a device, not a file",
	} {
		r := p.run(t, "view", `{"path":"`+path+`"}`)
		if r.Outcome != tool.Failure || r.Text != path+": "+want {
			t.Errorf("%s: %s", r.Outcome, r.Text)
		}
	}
	for _, name := range []string{"edit", "grep"} {
		r := p.run(t, name, `{"path":"pipe","old_str":"a","new_str":"b","pattern":"a"}`)
		if r.Outcome != tool.Failure || !strings.Contains(r.Text, "it is a pipe") {
			t.Errorf("%s: %s %s", name, r.Outcome, r.Text)
		}
	}
}
