package front

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/history"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/exchange"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Options say what the interface shows, and how.
type Options struct {
	Settings *entry.Settings
	Choose   bool   // the user chooses the first session from a list
	Models   Models // nil: none can be listed
	Print    Print
}

// Print carries out a command that has no page, and returns what it prints to a terminal of so many
// columns.
type Print func(ctx context.Context, s *session.Client, d slash.Command, arg string, columns int) (string, error)

// ErrNoTerminal says that there is no terminal to show the interface at.
var ErrNoTerminal = errors.New(`chat needs a terminal, and this one cannot be opened; in a script use: sidestick run "..."`)

// front is the program behind the terminal interface: it opens sessions of this process, and
// carries out commands.
type front struct {
	desk
	opts    Options
	runtime *entry.Runtime
	relay   relay
	files   complete.Index

	notes string // about the first session; for first

	mu    sync.Mutex
	known []complete.Candidate // models that providers have listed
}

// Show shows the terminal interface on sessions of this process until the user leaves.
func Show(ctx context.Context, r *entry.Runtime, o Options) error {
	if r.Terminal == nil {
		return ErrNoTerminal
	}
	cfg := r.Parts.Config
	keys, err := keysOf(cfg.Terminal.Keys)
	if err != nil {
		return err
	}
	f := &front{
		desk: desk{r.Options, cfg, keys, new(atomic.Int32)}, opts: o, runtime: r,
		relay: newRelay(), files: complete.Index{Dir: "."},
	}
	if err := r.AskAhead(ctx, o.Settings); err != nil {
		return err
	}
	beside, stop := context.WithCancel(context.WithoutCancel(ctx))
	var passing sync.WaitGroup
	defer passing.Wait()
	defer stop()
	leaving, restore := f.interrupts(beside, &passing)
	defer restore()
	passing.Go(func() { f.passOn(beside) })
	open, err := f.ahead(beside, &passing)
	if err != nil {
		return err
	}
	resizes, noMore := terminal.Resizes()
	defer noMore()
	opts := f.options(ctx, r.Terminal)
	opts.Open, opts.Commands, opts.Resizes, opts.Words = open, f, resizes, f.words
	opts.Mode = o.Settings.Mode()
	opts.First = f.first
	opts.Files = func(ctx context.Context, _ tui.Session) (*complete.List, error) {
		return f.files.Refresh(ctx, time.Now())
	}
	opts.Mentioned = func(_ tui.Session, text string) ([]composer.Attachment, string) {
		return exchange.Mentioned(text, f.files.Dir)
	}
	opts.Leaving, opts.Drafts = leaving, f.drafts("")
	last, err := tui.Run(ctx, opts)
	f.goodbye(context.WithoutCancel(ctx), last)
	return err
}

// aheadTime is how long a session that must exist can take to open before the interface is drawn. It
// takes some milliseconds; the log of a long one takes more.
const aheadTime = 200 * time.Millisecond

// ahead begins to open a session that must exist, and waits for it a moment: nothing is drawn for a
// session that cannot be opened. The goroutine in beside ends soon after ctx.
func (f *front) ahead(ctx context.Context, beside *sync.WaitGroup) (open func(context.Context) (tui.Session, error), err error) {
	if !f.opts.Settings.MustExist() {
		return f.open, nil
	}
	var s tui.Session
	var failed error
	opened := make(chan struct{})
	beside.Go(func() {
		defer close(opened)
		failed = fault.Guard("front.open", func() (err error) { s, err = f.open(ctx); return err })
	})
	select {
	case <-opened:
		if failed != nil {
			return nil, failed
		}
	case <-time.After(aheadTime):
	}
	return func(ctx context.Context) (tui.Session, error) {
		select {
		case <-opened:
			return s, failed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, nil
}

// open opens the session that the flags name.
func (f *front) open(ctx context.Context) (tui.Session, error) {
	c, notes, err := f.runtime.Open(ctx, f.opts.Settings)
	if err != nil {
		return nil, err
	}
	f.notes = strings.Join(notes, "\n")
	return f.session(ctx, c), nil
}

// first is what the interface does when the first session is open: it says what the user should know of it,
// and has the user choose another one, if the flags say so.
func (f *front) first(_ context.Context, s tui.Session) (e tui.Effect, err error) {
	if f.opts.Choose {
		e = f.pickSession(s.(*embedded))
	}
	e.Text = f.notes
	return e, nil
}

// desk is what the terminal interface uses of this machine and of its settings.
type desk struct {
	*cli.Options
	config  config.Config
	keys    *keymap.Table
	editing *atomic.Int32 // how many editors have the terminal, or had it a moment ago
}

// interrupts returns what is closed when another program interrupts this one: Ctrl-C is a key. Ctrl-C
// in an editor is for the editor, but comes here, too. Its goroutine in beside ends with ctx.
func (d desk) interrupts(ctx context.Context, beside *sync.WaitGroup) (leaving <-chan struct{}, restore func()) {
	interrupts, restore := entry.TakeInterrupts()
	end := make(chan struct{})
	beside.Go(func() {
		for {
			select {
			case <-interrupts:
				if d.editing.Load() == 0 {
					close(end)
					return
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return end, restore
}

// options are the options of the interface that depend on no session.
func (d desk) options(ctx context.Context, tty *terminal.TTY) tui.Options {
	settings := d.config.Terminal
	return tui.Options{
		Name: name(cli.Version()), History: d.history(ctx), Terminal: tty, Stop: terminal.Stop, Getenv: d.Sys.Getenv, Keys: d.keys,
		Pasted:    func(text string) []composer.Attachment { return exchange.Pasted(text, userHome()) },
		Clipboard: d.clipboard, Edit: d.edit, EditFile: d.editFile, Keep: d.keep,
		Cells:  cell.Options{Reasoning: settings.Reasoning.Value},
		Notify: settings.Notifications.Value, Theme: settings.Theme.Value, Bell: settings.Bell.Value, Vi: settings.Vim.Value,
	}
}

// name is the name of the program, with its version if that is one of a release.
func name(version string) string {
	if number, ok := strings.CutPrefix(version, "v"); ok && !strings.ContainsAny(number, "-+") {
		return "Sidestick " + number
	}
	return "Sidestick"
}

// keysOf is the table of keys with those of the settings. The error names the file and the line, and
// how to correct it.
func keysOf(own config.Setting[map[string][]string]) (*keymap.Table, error) {
	keys, err := keymap.Default().With(own.Value)
	if err != nil {
		return nil, cli.NewUsageError(fmt.Errorf("%s: %w; %s", own.From, err, config.EditHint))
	}
	return keys, nil
}

// passOn passes calls of sessions and retries on to the interface, until ctx ends.
func (f *front) passOn(ctx context.Context) {
	passOn(ctx, f.relay, f.runtime.Peer.Calls(), func(c *entry.Call) *tui.Call { return (*tui.Call)(c) }, f.runtime.Retries(), func(r entry.Retry) tui.Retry {
		return tui.Retry{Next: r.Next, Wait: r.Wait, Left: r.Left, Why: timeline.OneLine(fault.Message(r.Err), 200)}
	})
}

// The errors of a session that is no longer open, as the user of the interface reads them.
var (
	errEnded   = errors.New("the session was closed; /resume continues it, /new begins another")
	errDeleted = errors.New("another process has deleted the session; /new begins another")
)

// words is [tui.Options.Words]. It says whether the session was closed or deleted, if it is no longer open.
func (f *front) words(s tui.Session, err error) string {
	if s != nil {
		err = f.runtime.InWords(s.ID(), err)
	}
	switch {
	case errors.Is(err, entry.ErrEnded):
		err = errEnded
	case errors.Is(err, entry.ErrDeleted):
		err = errDeleted
	}
	return timeline.Harmless(cli.Message(err))
}

// earlier is the history of the folder that the program works in.
type earlier struct {
	h      *history.History
	folder string
}

func (d desk) history(ctx context.Context) *earlier {
	files := d.Sys.FS
	if files == nil {
		files = vfs.OS{}
	}
	h, _ := history.Open(ctx, files, filepath.Join(cli.Absolute(d.config.Home.Value), "history")) // the history is only a convenience
	return &earlier{h, cli.Absolute(".")}
}

// Lines implements [tui.History].
func (e *earlier) Lines() []string { return e.h.Lines(e.folder) }

// Add implements [tui.History].
func (e *earlier) Add(line string) (store func(ctx context.Context)) {
	write := e.h.Remember(e.folder, line)
	if write == nil {
		return nil
	}
	return func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), historyTime) // also if the user leaves
		defer cancel()
		_ = write(ctx) // the history is only a convenience
	}
}

// historyTime bounds the wait for other processes that write the history.
const historyTime = 2 * time.Second

// clipboard returns the image or the files of the clipboard.
func (d desk) clipboard(ctx context.Context) ([]composer.Attachment, error) {
	return d.board().Read(ctx)
}

func (d desk) board() *exchange.Clipboard {
	return &exchange.Clipboard{GOOS: runtime.GOOS, Getenv: d.Sys.Getenv, Home: userHome()}
}

// userHome is the home folder of the user, "" if it is not known.
func userHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// edit lets the user edit a text in their editor, which has the terminal meanwhile.
func (d desk) edit(ctx context.Context, text string) (string, error) {
	e, err := exchange.NewEdit(text, d.editor)
	if err != nil {
		return "", err
	}
	defer e.Close()
	if err := d.edits(ctx, e.Command); err != nil {
		return "", fmt.Errorf("the editor %s has failed, so the text is what it was: %w", e.Command[0], err)
	}
	return e.Text()
}

// editor is Getenv, except that VISUAL is the `editor` setting if there is one.
func (d desk) editor(name string) string {
	if name == "VISUAL" && d.config.Terminal.Editor.Value != "" {
		return d.config.Terminal.Editor.Value
	}
	return d.Sys.Getenv(name)
}
