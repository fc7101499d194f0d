package tui

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tui/screen"
)

// An answer goes into the clipboard, and into what stands in for it, without what a shell into which it is
// pasted would take for keys: the model could have it run a command.
func TestWhatIsCopiedCannotRunWhenItIsPasted(t *testing.T) {
	const answer, want = "safe \x1b[201~; touch x\r\n\x07 end", "safe [201~; touch x\n end"
	h := start(t)
	h.page = func() Effect { return Effect{Copy: answer} }
	var out strings.Builder
	s, err := screen.Open(device{&out}, func(name string) string { return map[string]string{"TERM": "xterm"}[name] })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Restore)
	h.screen = s
	h.open("/page")
	h.until("the copy", func() bool {
		return strings.Contains(out.String(), "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(want))+"\x1b\\")
	})

	var kept string
	h.Keep = func(_ context.Context, text string) (string, error) { kept = text; return "it is in ~/kept.md", nil }
	s, err = screen.Open(device{&out}, func(name string) string { return map[string]string{"TERM": "tmux", "TMUX": "x"}[name] })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Restore)
	h.screen = s
	h.open("/page")
	h.until("the text that is kept", func() bool { return strings.Contains(text(h.talk.Take(80)), "kept.md") })
	if kept != want {
		t.Errorf("%q is kept, want %q", kept, want)
	}
}
