package tui

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// submit sends what is in the input box: a message, a slash command or a command of the shell.
func (p *program) submit(mode string) {
	d, open := p.box.Draft(), p.isOpen()
	switch {
	case d.Blank() && open:
		p.box.Take()
		p.handOver()
		return
	case d.Blank():
		return
	case !open && !p.await(pending{func() { p.carryOutDraft(d, mode) }, &d}):
		return // the draft stays in the box
	}
	p.box.Take()
	p.sent.add(d)
	p.keep(d.Line())
	if open {
		p.carryOutDraft(d, mode)
	}
}

// carryOutDraft sends a draft: as a message, a slash command or a command of the shell.
func (p *program) carryOutDraft(d composer.Draft, mode string) {
	switch name, arg, ok := slash.Split(d.Text); {
	case d.Shell:
		p.shell(d)
	case ok && len(d.Attachments) == 0:
		p.command(d.Text, name, arg)
	default:
		p.send(wire.Send{Prompt: d.Text, AgentMode: p.mode, Mode: mode}, &d)
	}
}

// withMentioned are the attachments of a draft to a session, and the files that its text names. The warning names those
// that do not go with it. It reads folders.
func (p *program) withMentioned(s Session, d *composer.Draft) (all []composer.Attachment, warning string) {
	all = slices.Clone(d.Attachments)
	if p.Mentioned == nil {
		return all, ""
	}
	found, warning := p.Mentioned(s, d.Text)
	for _, f := range found {
		if !slices.ContainsFunc(all, func(a composer.Attachment) bool { return a.Path == f.Path }) {
			all = append(all, f)
		}
	}
	return all, warning
}

// send sends a message. draft is what it was made of, nil if the user did not write it: its attachments
// go with the message, and it returns to the input box if the session has not taken it.
func (p *program) send(m wire.Send, draft *composer.Draft) {
	s, warning := p.joined.Session, ""
	p.tell(func(ctx context.Context) error {
		if draft != nil {
			var files []composer.Attachment
			files, warning = p.withMentioned(s, draft)
			m.Attachments = composer.Encoded(files)
		}
		return s.Send(ctx, m)
	}, func(err error) {
		p.readQueue()
		if err == nil && warning != "" {
			p.warn(warning)
		}
		if err == nil {
			return
		}
		if errors.Is(err, ErrUncertain) { // sent again, it might reach the model twice
			p.words(err, func(text string) {
				p.warn(text + "; look whether it appears before you send it again: /history has it")
			})
			return
		}
		p.fail(err)
		if draft != nil && p.box.Empty() {
			p.box.Put(*draft)
		}
	})
}

// tell gives an order to the session; then takes its error on the loop, nil shows it.
func (p *program) tell(do func(ctx context.Context) error, then func(err error)) {
	if !p.order(order{do, then}) {
		p.warn("the session does not answer, so this was not done: wait and try again, or leave with /quit and resume with sidestick chat --continue")
	}
}

// recall takes the last queued message back into the input box.
func (p *program) recall() {
	n := len(p.queue.Items)
	if p.takeBackWaiting() || n == 0 || p.recalling {
		return
	}
	last, s := p.queue.Items[n-1], p.joined.Session
	if !p.box.Empty() && (last.Command || strings.HasPrefix(p.box.Draft().Text, "/")) {
		p.say("a command cannot be joined with another message: send this first, or press Ctrl-C")
		return
	}
	p.recalling = true // until it is in the box, where the next key leaves it alone
	var removed bool
	p.tell(func(ctx context.Context) (err error) {
		removed, err = s.Unqueue(ctx, last.ID)
		return err
	}, func(err error) {
		p.recalling = false
		if err != nil {
			p.fail(err)
			p.readQueue()
			return
		}
		p.takenBack(last, removed)
	})
}

// oneLine is a text in one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
