package front

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/history"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// A draft outlives the attachments that do not: images of the clipboard, and files that were removed. Only a text that the
// user has begun with a space is not kept.
func TestADraftOutlivesItsAttachments(t *testing.T) {
	for name, tc := range map[string]struct{ typed, kept, taken string }{
		"an image first": {"[image 1] what is this?", "what is this?", "what is this?"},
		"an image later": {"what is [image 1] this?", "what is  this?", "what is  this?"},
		"both":           {"[image 1] [file 1: gone.txt] what?", "[file 1: gone.txt] what?", "what?"},
		"a file first":   {"[file 1: gone.txt] [image 1] what?", "[file 1: gone.txt]  what?", "what?"},
		"private":        {" [image 1] what?", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			gone := filepath.Join(dir, "gone.txt")
			if err := os.WriteFile(gone, []byte("text"), 0o600); err != nil {
				t.Fatal(err)
			}
			terminal := func() drafts {
				d := drafts{history.NewDrafts(vfs.OS{}, filepath.Join(dir, "drafts"), "place")}
				t.Cleanup(d.Close)
				return d
			}
			list := []composer.Attachment{{Label: "[image 1]", Image: true}, {Label: "[file 1: gone.txt]", Path: gone, Name: "gone.txt"}}
			first := terminal()
			if err := first.Keep(t.Context(), composer.Draft{Text: "before"}); err != nil {
				t.Fatal(err)
			}
			if err := first.Keep(t.Context(), composer.Draft{Text: tc.typed, Attachments: list}); err != nil {
				t.Fatal(err)
			}
			first.Close()
			second := terminal()
			if d, _, _ := second.Take(t.Context()); d.Text != tc.kept {
				t.Errorf("the next terminal has %q, want %q", d.Text, tc.kept)
			}
			second.Close()
			if err := os.Remove(gone); err != nil {
				t.Fatal(err)
			}
			if d, _, _ := terminal().Take(t.Context()); d.Text != tc.taken {
				t.Errorf("without the file, the next terminal has %q, want %q", d.Text, tc.taken)
			}
		})
	}
}
