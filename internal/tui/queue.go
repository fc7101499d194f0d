package tui

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/page"
)

// drafts are what was sent last, so that a message that is taken back has its attachments.
type drafts []composer.Draft

// maxDrafts bounds them, and maxAttached the bytes of their attachments.
const maxDrafts, maxAttached = 50, 64 << 20

func (d *drafts) add(sent composer.Draft) {
	*d = append(*d, sent)
	for len(*d) > maxDrafts || len(*d) > 1 && d.size() > maxAttached {
		*d = slices.Delete(*d, 0, 1)
	}
}

func (d drafts) size() (n int) {
	for _, sent := range d {
		for _, f := range sent.Attachments {
			n += len(f.Data)
		}
	}
	return n
}

// draft is the last one with a text.
func (d drafts) draft(text string) composer.Draft {
	for _, sent := range slices.Backward(d) {
		if sent.Text == text && !sent.Shell {
			return sent
		}
	}
	return composer.Draft{Text: text}
}

// arrange opens the list of what is queued.
func (p *program) arrange() {
	q := &waiting{p: p, s: p.joined.Session, list: page.Queue(p.Keys)}
	p.pick(&Picker{List: q.list, Do: q.do, Open: func(Beside) { q.load() }, Event: func(e follow.Event) {
		if e.Type == "pending_messages.modified" {
			q.load()
		}
	}})
}

// waiting is the list of what is queued.
type waiting struct {
	p    *program
	s    Session
	list *list.List
}

// load reads the queue anew.
func (q *waiting) load() {
	q.p.beside(func(ctx context.Context) func() {
		now, err := q.s.Queue(ctx)
		return func() {
			if err != nil {
				q.list.Problems = []string{q.p.Words(err)}
				return
			}
			q.p.queue = now
			entries := make([]page.Waiting, len(now.Items))
			for i, it := range now.Items {
				entries[i] = page.Waiting{ID: it.ID, Text: it.Text, Command: it.Command, Attachments: len(q.p.sent.draft(it.Text).Attachments)}
			}
			page.SetQueue(q.list, entries, now.Steering, now.Held)
		}
	})
}

// do carries out what the user does with an item.
func (q *waiting) do(ctx context.Context, o list.Outcome) (e Effect, err error) {
	now, err := q.s.Queue(ctx)
	if err != nil {
		return e, err
	}
	id := o.Item.ID
	at := slices.IndexFunc(now.Items, func(i Queued) bool { return i.ID == id })
	if at < 0 {
		return Effect{Then: q.load}, nil // it has begun
	}
	switch o.Action {
	case keymap.ListChoose:
		return q.edit(ctx, now.Items[at])
	case keymap.ListDelete:
		_, err = q.s.Unqueue(ctx, id)
	case keymap.ListSend:
		err = q.s.SendNow(ctx, id)
	case keymap.ListMoveUp:
		err = q.s.MoveTo(ctx, id, max(at-1, 0))
	case keymap.ListMoveDown:
		err = q.s.MoveTo(ctx, id, min(at+1, len(now.Items)-1))
	}
	return Effect{Then: q.load}, err
}

// edit takes an item out of the queue, and puts it into the input box.
func (q *waiting) edit(ctx context.Context, it Queued) (Effect, error) {
	removed, err := q.s.Unqueue(ctx, it.ID)
	if err != nil {
		return Effect{}, err
	}
	return Effect{Close: true, Then: func() { q.p.takenBack(it, removed) }}, nil
}

// takenBack puts a message that was taken out of the queue into the input box.
func (p *program) takenBack(it Queued, removed bool) {
	p.readQueue()
	switch {
	case removed && p.box.Untouched():
		p.box.TakeBack(p.sent.draft(it.Text))
	case removed:
		p.remember(it.Text)
	default:
		p.say("the message has been sent already")
	}
}
