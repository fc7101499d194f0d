package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

// pending is what the user has asked for while a session was being opened.
type pending struct {
	do    func()
	draft *composer.Draft // what was sent from the input box, nil for something else
}

// await keeps what the user has asked for until the session is open. It reports false if too much waits.
func (p *program) await(w pending) bool {
	if len(p.waiting) >= maxOrders {
		p.say("too many messages wait for the session")
		return false
	}
	p.waiting = append(p.waiting, w)
	p.say("the session is being opened …")
	return true
}

// opens says that what follows opens a session in place of the present one: what the user sends from now on
// is meant for that one, and waits for it. The caller carries the command out with the function that opens
// returns, beside the loop. If the command fails, nothing is sent, because the session is another one than
// the user meant.
func (p *program) opens() (with func(command func() (Effect, error)) (Effect, error)) {
	if p.opening.IsZero() {
		p.opening = time.Now()
	}
	entry := p.entries
	return func(command func() (Effect, error)) (e Effect, err error) {
		failed := true // also if it panics
		defer func() {
			if e.Session == nil || failed {
				p.post(func() { p.remains(entry, failed) })
			}
		}()
		e, err = command()
		failed = err != nil
		return e, err
	}
}

// remains says that no session was opened: opening one has failed, or it is the one that is shown. entry is
// how many had been entered before.
func (p *program) remains(entry int, failed bool) {
	if entry != p.entries { // another one is being opened
		return
	}
	if !failed {
		p.begun()
		return
	}
	p.opening = time.Time{}
	for p.takeBackWaiting() {
	}
	if slices.ContainsFunc(p.waiting, func(w pending) bool { return w.draft != nil }) {
		p.note("what you have typed since was not sent, because no session was opened; /history has it")
	}
	p.waiting = nil
}

// takeBackWaiting puts the last message that waits for a session back into the input box. It reports false
// if there is none, or if the box has another text.
func (p *program) takeBackWaiting() bool {
	n := len(p.waiting)
	if n == 0 || p.waiting[n-1].draft == nil || !p.box.Untouched() {
		return false
	}
	d := *p.waiting[n-1].draft
	if command := d.Shell || strings.HasPrefix(d.Text, "/"); !p.box.Empty() && (command || strings.HasPrefix(p.box.Draft().Text, "/")) {
		return false // a command cannot be joined with another message
	}
	p.waiting = p.waiting[:n-1]
	p.box.TakeBack(d)
	return true
}
