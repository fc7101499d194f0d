package chat

import (
	"fmt"
	"time"
)

// plainEvery is how often a line says that the run is under way, at a terminal where text is only
// appended: a screen reader reads each line aloud.
const plainEvery = 30 * time.Second

// ticks yields the times at which such a line is due; stop releases the ticker.
func (t *conversation) ticks() (tick <-chan time.Time, stop func()) {
	if t.every == 0 {
		return nil, func() {}
	}
	t.since = time.Now()
	ticker := time.NewTicker(t.every)
	return ticker.C, ticker.Stop
}

// underWay is that line.
func (t *conversation) underWay() string {
	return fmt.Sprintf("still working, %v so far; Ctrl-C stops it", time.Since(t.since).Round(time.Second))
}
