package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// leaveTime is how long after a Ctrl-C a further one leaves.
const leaveTime = 2 * time.Second

// do carries out an action of the table of keys that is not one of the input box.
func (p *program) do(a keymap.Action) {
	switch a.Name {
	case keymap.Cancel:
		p.cancel()
	case keymap.Redraw:
		p.screen.Redraw()
	case keymap.Suspend:
		p.suspend()
	case keymap.Interrupt:
		p.interrupt()
	case keymap.HandOver:
		p.handOver()
	case keymap.Queue:
		if p.questions.Len() == 0 {
			p.submit("")
		} else { // the last key of a sequence; one that has just come takes it a moment later
			p.questions.Focus(time.Now())
		}
	case keymap.Mode:
		p.nextMode()
	case keymap.Leave:
		p.quit = true
	case keymap.SearchHistory:
		p.searchHistory()
	case keymap.ExternalEditor:
		p.edit()
	case keymap.Attach:
		p.attach()
	case keymap.Waiting:
		if p.isOpen() {
			p.arrange()
		} else {
			p.whenOpen(p.arrange)
		}
	case keymap.Reasoning:
		p.reason("")
	case keymap.Rewind:
		if !p.interrupt() { // else a second Esc means the same
			p.command("", "rewind", "")
		}
	default:
		if a.Command != "" {
			p.command("", strings.TrimPrefix(a.Command, "/"), "")
		}
	}
}

// byCommand is the action that a slash command stands for, and that the interface does itself; ok is
// false for commands that the program carries out.
func byCommand(keys *keymap.Table, name string) (a keymap.Action, ok bool) {
	own := []string{keymap.ExternalEditor, keymap.Attach, keymap.Stash, keymap.Waiting}
	for _, a := range keys.Actions() {
		if a.Command == "/"+name && slices.Contains(own, a.Name) {
			return a, true
		}
	}
	return a, false
}

// cancel is Ctrl-C: it stops the commands of the user, or else interrupts the agent, or else empties
// the input box, or else leaves if it is pressed twice.
func (p *program) cancel() {
	now := time.Now()
	switch {
	case p.own.stop():
		if !p.working && p.box.Empty() {
			p.leaving = now.Add(leaveTime)
		}
	case p.working && now.After(p.leaving):
		p.stopRun()
		p.leaving = now.Add(leaveTime)
	case !p.working && !p.box.Empty():
		if line := p.box.Drop(); line != "" {
			p.keep(line)
			p.say("the draft is in the history" + p.how(": %s brings it back", keymap.Older))
		}
	case now.Before(p.leaving):
		p.quit = true
	default:
		p.leaving = now.Add(leaveTime)
	}
}

// interrupt is Esc: it stops the commands of the user, or else the run. It reports whether there was
// something to stop.
func (p *program) interrupt() bool {
	switch {
	case p.own.stop():
	case p.working:
		p.stopRun()
	default:
		return false
	}
	return true
}

// stopRun ends the run, and holds the queue.
func (p *program) stopRun() {
	p.talk.Stopping(true)
	s, talk := p.joined.Session, p.talk
	p.beside(func(ctx context.Context) func() { // not behind a message that hooks keep waiting
		err := s.Interrupt(ctx)
		return func() {
			if err != nil { // then it may go on
				talk.Stopping(false)
			}
			p.fail(err)
			p.readQueue()
		}
	})
}

// searchHistory searches the earlier input. The input box has the search itself.
func (p *program) searchHistory() {
	if a, taken := p.box.Do(keymap.SearchHistory); taken {
		p.boxed(a)
	}
}

// attach puts the image or the file of the clipboard into the message.
func (p *program) attach() {
	p.beside(func(ctx context.Context) func() {
		files, err := p.Clipboard(ctx)
		return func() {
			p.fail(err)
			for _, f := range files {
				if !p.box.Attach(f) {
					p.say("the input box has no room for another attachment")
				}
			}
		}
	})
}

// attention is called when the user may look elsewhere: it shows a notice, and rings.
func (p *program) attention(what string) {
	if !p.wantsNotice() {
		return
	}
	if p.Notify != "" {
		_ = p.screen.Notify("sidestick", what) // a terminal that cannot be written to ends the loop with the next frame
	}
	if p.Bell {
		_ = p.screen.Bell()
	}
}

// wantsNotice reports whether the user wants to be told now.
func (p *program) wantsNotice() bool {
	return p.Notify == "always" || p.Notify != "off" && !p.focused
}
