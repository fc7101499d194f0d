package tui

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

// lend gives the terminal to another program, and takes it back. A question is guarded again then, as
// if it had just come: the keys were meant for that program.
func (p *program) lend(to func() error) error {
	p.release()
	if err := p.screen.Suspend(); err != nil {
		return err
	}
	failed := to()
	if err := p.screen.Resume(); err != nil {
		return err
	}
	keys, release, err := p.Terminal.Keys()
	if err != nil {
		return err
	}
	p.keys, p.release, p.stale = keys, release, true
	p.questions.Returned(time.Now())
	p.handing.shown = time.Time{}
	p.pressed.returned(time.Now())
	p.fail(failed)
	return nil
}

// suspend is Ctrl-Z: the shell has the terminal until it continues the program.
func (p *program) suspend() {
	if err := p.lend(p.Stop); err != nil {
		p.broken = err
	}
}

// edit has the user write the message in their editor.
func (p *program) edit() {
	d := p.box.Draft()
	err := p.lend(func() error {
		text, err := p.Edit(p.gone, d.Text)
		if err != nil {
			return err
		}
		p.box.Put(composer.Draft{Text: text, Attachments: d.Attachments, Shell: d.Shell})
		return nil
	})
	if err != nil {
		p.broken = err
	}
}

// editFile has the user edit a file.
func (p *program) editFile(f *EditFile, m *meanwhile) {
	failed := false
	err := p.lend(func() error {
		err := p.EditFile(p.gone, f.Path)
		failed = err != nil
		return err
	})
	if err != nil {
		p.broken = err
	}
	if failed || f.Then == nil {
		return
	}
	p.beside(func(ctx context.Context) func() {
		said, err := f.Then(ctx)
		return func() {
			p.fail(err)
			if said != "" {
				p.echo(m)
				p.note(said)
			}
		}
	})
}

// editPage shows a text of the pager in the editor of the user. Changes are not kept.
func (p *program) editPage(text string) {
	err := p.lend(func() error {
		_, err := p.Edit(p.gone, text)
		return err
	})
	if err != nil {
		p.broken = err
	}
}
