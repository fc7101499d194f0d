package tui

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// frameTime is the shortest time between two frames, 60 a second. Only the answer to a key does not
// wait for it, unless the frame before was for a key, too: text can be typed faster than it is drawn.
const frameTime = time.Second / 60

// maxBatch bounds the events that are taken before a frame may be painted.
const maxBatch = 4096

// loop waits for what happens, and paints.
func (p *program) loop() error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	if err := p.paint(time.Now()); err != nil {
		return err
	}
	for !p.quit {
		p.set(timer)
		if err := p.wait(timer); err != nil {
			return err
		}
		now := time.Now()
		p.keepDraft(now)
		if p.stale && now.Sub(p.painted) >= frameTime || p.due(now) {
			if err := p.paint(now); err != nil {
				return err
			}
		}
	}
	return p.paint(time.Now())
}

// wait waits for one thing, and takes it.
func (p *program) wait(timer *time.Timer) error {
	select {
	case b, ok := <-p.keys:
		if !ok {
			return errGone
		}
		return p.typed(p.decoder.Feed(b, time.Now()))
	case e, ok := <-p.joined.events:
		p.take(e, ok)
		p.takeMore()
	case c := <-p.joined.calls:
		p.call(c)
	case r := <-p.joined.retries:
		p.talk.Retry(r.Next, r.Wait, r.Left, r.Why, time.Now())
		p.stale = true
	case f := <-p.posts:
		f()
		p.stale = true
	case <-p.Resizes:
		p.screen.Resized(time.Now())
		p.questions.Resized()
		p.stale = true
	case <-p.Leaving:
		p.quit = true
	case <-p.ctx.Done():
		p.quit = true
	case <-timer.C:
		if p.searching {
			p.searching, p.stale = p.search(), true
		}
		if at, waits := p.decoder.Due(); waits && !time.Now().Before(at) {
			return p.typed(p.decoder.Flush())
		}
	}
	return nil
}

// takeMore takes the events that have come already, so that a frame shows all of them.
func (p *program) takeMore() {
	for range maxBatch {
		select {
		case e, ok := <-p.joined.events:
			p.take(e, ok)
		default:
			return
		}
	}
}

// typed takes what the user has typed. The answer to a key is painted at once.
func (p *program) typed(events []input.Event) error {
	p.keyed = p.keyed || len(events) > 0
	for len(events) > 0 {
		if p.pasting.done != nil {
			p.pasting.held = append(p.pasting.held, events...)
			return nil
		}
		now := time.Now()
		if n := p.run(events, now); n > 0 {
			events = events[n:]
			continue
		}
		p.one(events[0], now)
		events = events[1:]
	}
	now := time.Now()
	if !p.keyed || p.quit {
		return nil
	}
	if now.Sub(p.answered) < frameTime {
		p.stale = true
		return nil
	}
	return p.paint(now)
}

// one takes one event.
func (p *program) one(e input.Event, now time.Time) {
	switch e := e.(type) {
	case input.Key:
		p.key(e, now)
	case input.Paste:
		p.paste(e, now)
	case input.Focus:
		p.focused = e.In
	case input.Background:
		p.screen.SetDark(e.Dark)
	}
}

// run puts characters that were read together into the input box at once, and returns how many
// events these are: 0 if they have to be taken one by one.
func (p *program) run(events []input.Event, now time.Time) int {
	if len(p.overlays) > 0 || p.prefix != "" {
		return 0
	}
	text, n := p.box.Run(events)
	if n < 2 || !p.questions.Typed(now) {
		return 0
	}
	p.leaving, p.stale = time.Time{}, true
	p.box.Type(text)
	return n
}

// set sets the timer to the next moment at which the frame changes without an event.
func (p *program) set(timer *time.Timer) {
	at := p.next()
	if frame := p.painted.Add(frameTime); p.stale && (at.IsZero() || frame.Before(at)) {
		at = frame
	}
	if at.IsZero() {
		timer.Stop()
		return
	}
	timer.Reset(max(time.Until(at), 0))
}

// next is that moment, without that of a stale frame; zero for never.
func (p *program) next() (at time.Time) {
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if due, waits := p.decoder.Due(); waits {
		sooner(due)
	}
	if p.searching {
		sooner(p.painted)
	}
	if due, waits := p.screen.Due(); waits {
		sooner(due)
	}
	if tick := p.talk.Activity(p.painted).Tick(); tick > 0 && len(p.overlays) == 0 {
		sooner(p.painted.Add(tick))
	}
	sooner(p.questions.Wake(p.painted))
	sooner(p.drafting.wake())
	if at := p.opening.Add(openingTime); !p.opening.IsZero() && at.After(p.painted) {
		sooner(at)
	}
	for _, end := range []time.Time{p.notice.until, p.leaving} {
		if end.After(p.painted) { // else the frame shows that the time is over
			sooner(end)
		}
	}
	return at
}

// due reports whether the moment of next has come.
func (p *program) due(now time.Time) bool {
	at := p.next()
	return !at.IsZero() && !now.Before(at)
}
