package chat

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
)

// paper is what a command of the line mode prints to, for the terminal interface to show.
type paper struct {
	bytes.Buffer
	columns int
}

// Size implements [sized].
func (p *paper) Size() (columns, rows int) { return p.columns, terminal.Rows }

// printed carries out a command of the line mode, and shows what it prints.
func (f *front) printed(ctx context.Context, d slash.Command, arg string) (tui.Effect, error) {
	columns := terminal.Columns
	if tty, ok := f.talk.terminal(); ok {
		columns, _ = tty.Size()
	}
	out := &paper{columns: columns - 2}
	c := &chatter{Options: f.Options, talkOptions: *f.which, talk: f.talk, out: out, allowed: f.allowed}
	err := c.perform(ctx, d, arg)
	f.allowed = c.allowed
	return tui.Effect{Text: out.String()}, err
}

// fork continues in a copy of the session.
func (f *front) fork(ctx context.Context, title string) (tui.Effect, error) {
	id, err := f.parts.Sessions.Fork(ctx, f.now.ID(), "", title)
	if err != nil {
		return tui.Effect{}, err
	}
	return f.enter(ctx, talkOptions{resume: id})
}

// copy puts an answer into the clipboard.
func (f *front) copy(ctx context.Context, arg string) (tui.Effect, error) {
	n, err := strconv.Atoi(cmp.Or(arg, "1"))
	if err != nil {
		return tui.Effect{}, fmt.Errorf("%q is no number of an answer; 1 is the last", timeline.OneLine(arg, 40))
	}
	text, err := operate.Answer(ctx, f.now.client.Session(), n)
	return tui.Effect{Copy: text}, err
}

// show opens the whole session in the pager: at the call with a number, or at its end.
func (f *front) show(ctx context.Context, arg string) (tui.Effect, error) {
	t, err := cell.Read(f.now.Records(ctx))
	if err != nil {
		return tui.Effect{}, err
	}
	at := t.Len() - 1
	if arg != "" {
		n, err := strconv.Atoi(strings.Trim(arg, "[]"))
		if at = t.Call(n); err != nil || at < 0 {
			return tui.Effect{}, fmt.Errorf("there is no call %s; the number of a call stands before it", timeline.OneLine(arg, 20))
		}
	}
	p := pager.New("session", t, f.keys)
	p.Show(at)
	return tui.Effect{Read: p}, nil
}

// usage says what the session has used.
func (f *front) usage(ctx context.Context, _ string) (tui.Effect, error) {
	u, err := f.now.client.Session().Metrics().Usage(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	var in, out, requests int64
	for _, m := range u.ModelMetrics {
		in, out, requests = in+m.Usage.InputTokens, out+m.Usage.OutputTokens, requests+m.Requests.Count
	}
	return tui.Effect{Text: fmt.Sprintf("%s model calls, %s tokens in, %s out", timeline.Count(requests), timeline.Count(in), timeline.Count(out))}, nil
}

// background lets the work that runs continue in the background.
func (f *front) background(ctx context.Context, _ string) (tui.Effect, error) {
	tasks := f.now.client.Session().Agents().Tasks()
	task, err := tasks.Promotable(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	if task == nil {
		return tui.Effect{}, errors.New("nothing runs that could continue in the background")
	}
	_, err = tasks.Promote(ctx, "")
	return tui.Effect{}, err
}

// diffModes are what /diff compares with, in the order of the key that changes it.
var diffModes = []string{"", "unstaged", "branch"}

// diff shows the changes of files.
func (f *front) diff(ctx context.Context, mode string) (tui.Effect, error) {
	d, err := operate.Changes(ctx, f.now.client.Session(), mode)
	if err != nil {
		return tui.Effect{}, err
	}
	var changes []page.Change
	for _, c := range d.Files {
		p := page.Change{Path: c.Path, Kind: c.Kind, Diff: c.Diff}
		if c.Left {
			p.Left = "it is long, or no text"
		}
		changes = append(changes, p)
	}
	r := page.NewReview(d.Of, changes)
	return tui.Effect{Pick: &tui.Picker{List: r.List(f.keys), Do: func(ctx context.Context, o list.Outcome) (tui.Effect, error) {
		switch o.Action {
		case keymap.ListChoose, keymap.ListWhole:
			return tui.Effect{Read: r.Pager(f.keys, o.Item.ID)}, nil
		case keymap.ListView:
			e, err := f.diff(ctx, next(diffModes, mode))
			e.Close = err == nil
			return e, err
		}
		return tui.Effect{}, nil
	}}}, nil
}

// next is what follows a value in a list; the first follows the last, and what is not in it.
func next(list []string, value string) string {
	for i, v := range list {
		if v == value {
			return list[(i+1)%len(list)]
		}
	}
	return list[0]
}
