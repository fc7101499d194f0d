package front

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/history"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

// drafts keeps the input box in the home folder.
type drafts struct{ *history.Drafts }

var _ tui.Drafts = drafts{}

// drafts are those of the folder that the program works in, for sessions of a server; server is "" for this process.
func (d desk) drafts(server string) drafts {
	place := cli.Absolute(".")
	if server != "" {
		place += "\n" + server
	}
	return drafts{history.NewDrafts(d.Disk(), filepath.Join(cli.Absolute(d.config.Home.Value), "drafts"), place)}
}

// Take implements [tui.Drafts]. Files that are not there any more are left out, and named.
func (o drafts) Take(context.Context) (d composer.Draft, notice string, ok bool) {
	kept, ok, err := o.Drafts.Take()
	if err != nil || !ok { // what cannot be read now is there at the next start
		return d, "", false
	}
	d = composer.Draft{Text: kept.Text, Shell: kept.Shell}
	notice = "the text in the input box was written on " + kept.At.Local().Format("2 January at 15:04") + " and not sent before sidestick ended; Ctrl-C clears it"
	for _, f := range kept.Files {
		if _, err := os.Stat(f.Path); err != nil {
			d.Text = unlabelled(d.Text, f.Label)
			notice += "; " + timeline.OneLine(f.Name, 60) + " is not there any more, and is not attached"
			continue
		}
		d.Attachments = append(d.Attachments, attachment(f))
	}
	return d, notice, true
}

func attachment(f history.File) composer.Attachment {
	return composer.Attachment{Path: f.Path, Name: f.Name, Label: f.Label, Image: f.Image, Folder: f.Folder}
}

// unlabelled is a text without the label of an attachment. What follows a label at the beginning is separated from it by a
// space. That space goes with it, because a text that begins with one is not kept.
func unlabelled(text, label string) string {
	if rest, first := strings.CutPrefix(text, label); first {
		return strings.TrimLeft(rest, " ")
	}
	return strings.Replace(text, label, "", 1)
}

// Keep implements [tui.Drafts]. An attachment without a file, such as an image of the clipboard, is left out.
func (o drafts) Keep(_ context.Context, d composer.Draft) error {
	kept := history.Draft{Text: d.Text, Shell: d.Shell, At: time.Now()}
	for _, a := range d.Attachments {
		if a.Path == "" {
			kept.Text = unlabelled(kept.Text, a.Label)
			continue
		}
		kept.Files = append(kept.Files, history.File{Path: a.Path, Name: a.Name, Label: a.Label, Image: a.Image, Folder: a.Folder})
	}
	return o.Drafts.Keep(kept)
}
