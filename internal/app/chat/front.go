package chat

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/history"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// front is the program behind the terminal interface: it opens sessions of this process, and
// carries out commands.
type front struct {
	*cli.Options
	which   *talkOptions
	talk    *conversation // for what the line mode has, too; its events are not read
	parts   *wiring.Parts
	keys    *keymap.Table
	calls   chan *tui.Call
	retries chan tui.Retry
	files   complete.Index
	now     *embedded // the session that is shown
}

// showFront shows the terminal interface until the user leaves.
func showFront(ctx context.Context, o *cli.Options, which *talkOptions, t *conversation, c *session.Client) error {
	tty, ok := t.terminal()
	if !ok {
		return errors.New("chat needs a terminal, and this one cannot be opened")
	}
	keys, err := keymap.Default().With(t.parts.Config.Terminal.Keys.Value)
	if err != nil {
		return cli.NewUsageError(err)
	}
	f := &front{
		Options: o, which: which, talk: t, parts: t.parts, keys: keys,
		calls: make(chan *tui.Call), retries: make(chan tui.Retry, maxRetries), files: complete.Index{Dir: "."},
	}
	t.client = c
	f.now = f.session(c)
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go f.passOn(beside)
	resizes, noMore := terminal.Resizes()
	defer noMore()
	mode := which.mode()
	if mode == "" {
		mode = "interactive"
	}
	settings := t.parts.Config.Terminal
	return tui.Run(ctx, tui.Options{
		Session: f.now, Commands: f, History: f.history(ctx), Terminal: tty, Resizes: resizes, Stop: terminal.Stop, Getenv: o.Sys.Getenv, Keys: keys,
		Files: func(ctx context.Context) (*complete.List, error) { return f.files.Refresh(ctx, time.Now()) }, Attachable: attachable,
		Clipboard: f.clipboard, Edit: f.edit, Words: f.words,
		Cells:  cell.Options{Reasoning: settings.Reasoning.Value == "full", Explain: f.explain},
		Notify: settings.Notifications.Value != "off", Bell: settings.Bell.Value, Mode: mode,
	})
}

// passOn passes calls of sessions and retries on to the interface, until ctx ends.
func (f *front) passOn(ctx context.Context) {
	for {
		select {
		case c := <-f.talk.peer.calls:
			call := &tui.Call{Ctx: c.ctx, Method: c.method, Params: c.params, Reply: func(value any, err error) { c.reply <- reply{value, err} }}
			select {
			case f.calls <- call:
			case <-c.ctx.Done():
			case <-ctx.Done():
				return
			}
		case r := <-f.talk.retries:
			select {
			case f.retries <- tui.Retry{Next: r.next, Of: r.of, Wait: r.wait, Why: timeline.OneLine(fault.Message(r.err), 200)}:
			default: // the interface has more to show than it can
			}
		case <-ctx.Done():
			return
		}
	}
}

// words is an error in words of the user.
func (f *front) words(err error) string {
	return timeline.Harmless(cli.Message(f.talk.inWords(err)))
}

// explain is the text of a failed run.
func (f *front) explain(failure follow.Failure) string {
	return timeline.Harmless(f.talk.advised(context.Background(), failure.Type, cmp.Or(failure.Message, "the run has failed")))
}

// earlier is the history of the folder that the program works in.
type earlier struct {
	ctx    context.Context
	h      *history.History
	folder string
}

func (f *front) history(ctx context.Context) *earlier {
	files := f.Sys.FS
	if files == nil {
		files = vfs.OS{}
	}
	h, _ := history.Open(ctx, files, filepath.Join(cli.Absolute(f.parts.Config.Home.Value), "history")) // the history is only a convenience
	return &earlier{context.WithoutCancel(ctx), h, cli.Absolute(".")}
}

// Lines implements [tui.History].
func (e *earlier) Lines() []string { return e.h.Lines(e.folder) }

// Add implements [tui.History].
func (e *earlier) Add(line string) { _ = e.h.Add(e.ctx, e.folder, line) }

// images are the kinds of pictures that models take, by the ending of the file's name.
var images = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}

// attachable reports whether a pasted path is that of a file that exists.
func attachable(path string) (composer.Attachment, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(path) {
		return composer.Attachment{}, false
	}
	kind := images[strings.ToLower(filepath.Ext(path))]
	return composer.Attachment{Name: filepath.Base(path), Path: path, MIME: kind, Image: kind != ""}, true
}

// clipboard returns the image or the file of the clipboard.
func (f *front) clipboard(context.Context) (composer.Attachment, error) {
	return composer.Attachment{}, errors.New("the clipboard cannot be read yet")
}

// edit lets the user edit a text in their editor.
func (f *front) edit(context.Context, string) (string, error) {
	return "", errors.New("no editor")
}
