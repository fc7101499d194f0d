package screen

import "time"

// How long the size must rest before anything is painted. Terminals wrap their rows before they
// tell that the size has changed, and tmux tells it up to 250 ms later. Source: the first is what
// Codex waits. With 300 ms for tmux, drags on a busy machine left rows behind.
const (
	rest     = 75 * time.Millisecond
	restTmux = 500 * time.Millisecond
)

// Resized says that the terminal has changed its size. Due returns when to paint.
func (s *Screen) Resized(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed(now)
	s.waiting = true
}

func (s *Screen) changed(now time.Time) {
	s.quiet, s.stale = now.Add(s.kind.rest), true
}

// Due is when to paint again because a frame was held back, or the size has changed. It reports
// false if nothing waits.
func (s *Screen) Due() (at time.Time, waits bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quiet, s.waiting && s.raw != nil && s.over == nil
}

// rests reports whether the frame must wait, because the size is changing.
func (s *Screen) rests(now time.Time) bool {
	present := s.present()
	if s.seen != present {
		if s.seen != (size{}) {
			s.changed(now)
		}
		s.seen = present
	}
	if now.Before(s.quiet) {
		s.waiting = true
		return true
	}
	return false
}

func (s *Screen) present() size {
	columns, rows := s.device.Extent()
	return size{columns: columns, rows: rows}
}

// reflowed is how many rows the first live row is above the cursor, after the terminal may have
// wrapped the live rows again.
func (s *Screen) reflowed() int {
	at, lines := s.live.at, s.live.lines
	columns := max(s.present().columns, 1)
	if columns >= s.live.size.columns || !s.kind.reflows {
		return at.row
	}
	up := 0
	for _, l := range lines[:min(at.row, len(lines))] {
		up += l.height(columns)
	}
	column := at.column
	if at.row < len(lines) && column > 0 && column == lines[at.row].width {
		column-- // behind the last character, which stays in its row
	}
	return up + column/columns
}

// height is the number of rows of the terminal that a line needs.
func (l line) height(columns int) int {
	if l.width <= columns {
		return 1
	}
	if ascii(l.text) {
		return (l.width + columns - 1) / columns
	}
	return len(l.row.Fold(columns))
}
