package tui

import (
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// A pasted path is looked up beside the interface, and what is typed meanwhile comes after it.
func TestAPastedPathIsLookedUpBeside(t *testing.T) {
	for name, tc := range map[string]struct {
		files []composer.Attachment
		want  string
	}{
		"a file":  {[]composer.Attachment{{Name: "a.png", Path: "/tmp/a.png", Image: true}}, "[image 1: a.png] what is it?"},
		"no file": {nil, "/tmp/a.png what is it?"},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			found := make(chan struct{})
			h.Pasted = func(string) []composer.Attachment { <-found; return tc.files }
			events := []input.Event{input.Paste{Text: "/tmp/a.png"}}
			if tc.files == nil {
				events = append(events, pressed("space"))
			}
			for _, r := range "what" {
				events = append(events, pressed(string(r)))
			}
			if err := h.typed(events); err != nil {
				t.Fatal(err)
			}
			if err := h.typed([]input.Event{pressed("space"), pressed("i"), pressed("s"), pressed("space"), pressed("i"), pressed("t"), pressed("?")}); err != nil {
				t.Fatal(err)
			}
			if !h.box.Empty() {
				t.Errorf("the box holds %q before the path was looked up", h.box.Draft().Text)
			}
			close(found)
			h.until("the draft", func() bool { return h.box.Draft().Text == tc.want })
		})
	}
}

// A drive that does not answer keeps the keys for a moment only.
func TestAPathThatIsNotFoundInTimeIsText(t *testing.T) {
	h := start(t)
	found := make(chan struct{})
	defer close(found)
	h.Pasted = func(string) []composer.Attachment {
		<-found
		return []composer.Attachment{{Name: "a.png", Path: "/net/a.png"}}
	}
	h.paste(input.Paste{Text: "/net/a.png"}, time.Now())
	h.until("the text", func() bool { return h.box.Draft().Text == "/net/a.png" })
}
