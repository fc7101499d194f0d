package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/slash"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/complete"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// Does reports whether the interface carries out a command itself, whatever [Commands] has.
func Does(name string) bool {
	_, ok := byCommand(keymap.Default(), name)
	return ok || name == "history" || name == "reasoning"
}

// command carries a slash command out: an action of the interface, or a command of the program. typed is what the user has
// typed, "" for a key.
func (p *program) command(typed, name, arg string) {
	if !p.isOpen() {
		p.whenOpen(func() { p.command(typed, name, arg) })
		return
	}
	switch {
	case name == "reasoning":
		p.reason(arg)
		return
	case name == "history":
		p.chooseHistory()
		return
	case name == "mode" && arg == "":
		p.chooseMode()
		return
	}
	if a, ok := byCommand(p.Keys, name); ok {
		if b, taken := p.box.Do(a.Name); taken {
			p.boxed(b)
			return
		}
		p.do(a)
		return
	}
	run := func(ctx context.Context, s Session) (Effect, error) {
		e, err := p.Commands.Run(ctx, s, strings.ToLower(name), arg)
		if unknown := NoCommand(""); errors.As(err, &unknown) {
			return Effect{Then: func() { p.mistyped(strings.TrimRight("/"+name+" "+arg, " "), err) }}, nil
		}
		return e, err
	}
	if !slash.Replaces(name, arg) {
		p.effect(typed, run)
		return
	}
	with := p.opens()
	p.effect(typed, func(ctx context.Context, s Session) (Effect, error) {
		return with(func() (Effect, error) { return run(ctx, s) })
	})
}

// NoCommand is the error of [Commands] for a name that no command has: why, and what the user can do. The
// command returns to the input box.
type NoCommand string

func (n NoCommand) Error() string { return string(n) }

// mistyped says that there is no such command, and lets the user correct it.
func (p *program) mistyped(typed string, err error) {
	p.fail(err)
	if p.box.Empty() {
		p.box.Insert(typed)
	}
}

// effect finds out beside the interface what it is to do in the session that is shown, and does it. typed is
// the command that the user has typed, "" for none.
func (p *program) effect(typed string, of func(ctx context.Context, s Session) (Effect, error)) {
	s, m := p.joined.Session, p.listen(typed)
	p.beside(func(ctx context.Context) func() {
		var e Effect
		err := fault.Guard("tui.command", func() (err error) { e, err = of(ctx, s); return err })
		return func() {
			p.ignore(m)
			if err != nil {
				p.echo(m)
				p.fail(err)
				return
			}
			e.meanwhile = m
			if p.joined.Session == s || e.Session != nil {
				p.apply(e)
			}
			p.listCommands()
		}
	})
}

// apply does what a command asks for.
func (p *program) apply(e Effect) {
	if e.Then != nil {
		e.Then()
	}
	if e.Close {
		p.closeOverlay()
	}
	if s := e.Session; s != nil {
		e.Then, e.Close, e.Session = nil, false, nil
		p.enter(s, func() { p.apply(e) })
		return
	}
	if e.inConversation() {
		p.echo(e.meanwhile)
	}
	if e.Text != "" {
		p.note(strings.TrimRight(e.Text, "\n"))
	}
	switch {
	case e.Toggle && e.Mode == p.mode:
		p.useMode(modes()[0].Name)
	case e.Mode != "":
		p.useMode(e.Mode)
	}
	p.draft(e.Draft)
	if e.Send != nil {
		m := *e.Send
		if m.AgentMode == "" {
			m.AgentMode = p.mode
		}
		p.send(m, nil)
	}
	p.copy(e.Copy)
	if e.Read != nil {
		p.read(e)
	}
	if e.Pick != nil {
		p.pick(e.Pick)
	}
	if e.Edit != nil {
		p.editFile(e.Edit, e.meanwhile)
	}
	p.quit = p.quit || e.Quit
	if e.With != nil {
		p.apply(e.With(p.talk))
	}
}

// draft puts a text into the input box, or, if that has another one, into the history.
func (p *program) draft(text string) {
	switch {
	case text == "":
	case p.box.Empty():
		p.box.Insert(text)
	default:
		p.remember(text)
	}
}

// remember puts a message that has no room in the input box into the history, and says so.
func (p *program) remember(text string) {
	p.keep(text)
	p.box.SetHistory(p.History.Lines())
	p.say("the message is in the history" + p.how(": %s brings it back", keymap.Older))
}

// how is a text about the key of an action, "" if the action has none.
func (p *program) how(format, action string) string {
	key := p.Keys.Key(action)
	if key == "" {
		return ""
	}
	return fmt.Sprintf(format, key)
}

// copy puts a text into the clipboard of the user, or into what stands in for it, without its control
// characters.
func (p *program) copy(text string) {
	text = timeline.Copied(text)
	if text == "" {
		return
	}
	switch sent, err := p.screen.Copy(text); {
	case err != nil:
		p.fail(err)
	case sent:
		p.say("copied")
	default:
		p.beside(func(ctx context.Context) func() {
			where, err := p.Keep(ctx, text)
			return func() {
				if p.fail(err); err == nil {
					p.note(where)
				}
			}
		})
	}
}

// listCommands brings the commands for completion up to date.
func (p *program) listCommands() {
	s := p.joined.Session
	p.beside(func(ctx context.Context) func() {
		all, err := p.Commands.List(ctx, s)
		return func() {
			if p.joined.Session != s { // the lists of the next one are on their way
				return
			}
			p.fail(err)
			p.box.OfferCommands(complete.NewList(all))
		}
	})
	p.beside(func(ctx context.Context) func() { // which reads the list of sessions
		all, err := p.Commands.Arguments(ctx, s)
		lists := map[string]*complete.List{}
		for name, of := range all {
			lists[name] = complete.NewList(of)
		}
		return func() {
			if p.joined.Session != s {
				return
			}
			p.fail(err)
			p.box.Arguments = lists
		}
	})
}

// listFiles brings the files for completion up to date.
func (p *program) listFiles() {
	s := p.joined.Session
	p.beside(func(ctx context.Context) func() {
		files, err := p.Files(ctx, s)
		return func() {
			if err != nil {
				p.words(err, func(text string) { p.say(oneLine(text)) })
				return
			}
			p.box.OfferFiles(files)
		}
	})
}
