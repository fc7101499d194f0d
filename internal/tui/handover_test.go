package tui

import (
	"strings"
	"testing"
	"time"
)

// enters presses Enter at times after the first, and returns how often the session has handed over.
func (h *harness) enters(from time.Time, at ...time.Duration) (handed int) {
	for _, d := range at {
		h.key(pressed("enter"), from.Add(d))
	}
	h.write("x") // the order after those of the keys
	h.key(pressed("tab"), from.Add(time.Hour))
	h.done("send interactive: x")
	return strings.Count(strings.Join(h.session.done, ";"), "hand over")
}

func every(first, apart time.Duration, n int) (at []time.Duration) {
	for i := range n {
		at = append(at, first+time.Duration(i)*apart)
	}
	return at
}

// Only an Enter that the user means ends a hold: not one that is held down, nor one that came before the
// hold was on the screen for half a second. After it, no Enter sends what waits into the run for a moment.
func TestAHoldEndsWithAnEnterThatIsMeant(t *testing.T) {
	const ms = time.Millisecond
	for name, tc := range map[string]struct {
		at   []time.Duration
		want int
	}{
		"once":                     {every(600*ms, 0, 1), 1},
		"too soon":                 {every(499*ms, 0, 1), 0},
		"held down since before":   {every(0, 40*ms, 50), 0},
		"slow repetition":          {every(0, 140*ms, 50), 0},
		"held down in a list":      {append(every(-60*ms, 0, 1), every(600*ms, 30*ms, 40)...), 0},
		"a while after the list":   {append(every(-460*ms, 0, 1), 600*ms), 1},
		"held down, once it is up": {every(600*ms, 40*ms, 50), 1},
		"held down slowly":         {append(every(600*ms, 0, 1), every(1500*ms, 33*ms, 50)...), 1},
		"twice":                    {[]time.Duration{600 * ms, 900 * ms}, 1},
		"once more later":          {[]time.Duration{600 * ms, 1700 * ms}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			h.session.holds(Queue{Items: []Queued{{ID: "1", Text: "first"}}, Held: true, Interrupted: true})
			h.happens("pending_messages.modified", nil)
			h.until("the hold", func() bool { return h.queue.holds() })
			h.screenText()
			h.key(pressed("left"), h.handing.shown.Add(-time.Second))
			if got := h.enters(h.handing.shown, tc.at...); got != tc.want {
				t.Errorf("the session handed over %d times, want %d", got, tc.want)
			}
		})
	}
}

// A message that is queued while the agent works can be handed over with a second Enter, but not by the repetition of
// the first.
func TestAKeyThatIsHeldDownHandsNothingOver(t *testing.T) {
	h := start(t)
	h.session.holds(Queue{Items: []Queued{{ID: "1", Text: "first"}}})
	h.happens("pending_messages.modified", nil)
	h.until("the queue", func() bool { return len(h.queue.Items) > 0 })
	now := time.Now()
	h.key(pressed("a"), now)
	h.key(pressed("enter"), now)
	if got := h.enters(now, every(40*time.Millisecond, 40*time.Millisecond, 50)...); got != 0 {
		t.Errorf("a key that is held down hands over %d times", got)
	}
	h = start(t)
	h.session.holds(Queue{Items: []Queued{{ID: "1", Text: "first"}}})
	h.happens("pending_messages.modified", nil)
	h.until("the queue", func() bool { return len(h.queue.Items) > 0 })
	h.key(pressed("a"), now)
	h.key(pressed("enter"), now)
	if got := h.enters(now, 300*time.Millisecond); got != 1 {
		t.Errorf("a second Enter hands over %d times", got)
	}
}

// An Enter that was pressed in the shell or in the editor, and is still down, ends no hold.
func TestAKeyThatWasHeldDownElsewhereEndsNoHold(t *testing.T) {
	for name, before := range map[string]func(h *harness){
		"shell":  func(*harness) {},
		"editor": func(h *harness) { h.press("left"); h.edit(); h.box.Drop() },
	} {
		t.Run(name, func(t *testing.T) {
			h := start(t)
			h.session.holds(Queue{Interrupted: true})
			h.happens("pending_messages.modified", nil)
			h.until("the hold", func() bool { return h.queue.holds() })
			h.screenText()
			before(h)
			h.screenText()
			if got := h.enters(h.pressed.at, every(700*time.Millisecond, 33*time.Millisecond, 30)...); got != 0 {
				t.Errorf("the session handed over %d times", got)
			}
		})
	}
}
