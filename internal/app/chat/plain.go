package chat

import (
	"fmt"
	"time"
)

// plainEvery is how often a line says that the run is under way, at a terminal where text is only
// appended: a screen reader reads each line aloud.
const plainEvery = 30 * time.Second

// ticks yields the times at which such a line is due, or else those at which the row of a wait is drawn; stop
// releases the ticker.
func (t *conversation) ticks() (tick <-chan time.Time, stop func()) {
	every := t.every
	if every == 0 && t.live != nil {
		every = time.Second
	}
	if every == 0 {
		return nil, func() {}
	}
	t.since = time.Now()
	ticker := time.NewTicker(every)
	return ticker.C, ticker.Stop
}

// underWay prints that line, or draws that row.
func (t *conversation) underWay() error {
	if t.every == 0 {
		t.live.Tick(time.Now())
		return nil
	}
	return t.show.Progress(fmt.Sprintf("still working, %v so far; Ctrl-C stops it", time.Since(t.since).Round(time.Second)))
}
