package screen

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Frame is what is to be shown.
type Frame struct {
	// Final rows go to the scrollback, above the live ones, once: a frame has only rows that no
	// frame before it had. A row that is wider than the terminal is wrapped by the terminal, so
	// that copying it gives one line.
	Final []row.Row
	// Live rows replace those of the frame before. Each is cut at the width of the terminal. If
	// they are more than the rows of the terminal but one, the last ones are shown, or those from
	// the cursor on.
	Live []row.Row
	// Cursor is in Live.
	Cursor Cursor
}

// Cursor is the place of the terminal's cursor, where the next character would be typed. The zero
// value hides it.
type Cursor struct {
	Row, Column int // from 0
	Shown       bool
}

// Paint shows a frame. While the size of the terminal changes, and while an overlay is shown or
// the Screen is suspended, the final rows are kept for a later frame, and the live ones are not
// painted: Due says when to paint again.
func (s *Screen) Paint(f Frame, now time.Time) error {
	if !s.lock() {
		return nil
	}
	defer s.mu.Unlock()
	s.shown = [2]int{}
	s.held = append(s.held, f.Final...)
	if s.raw == nil || s.over != nil || s.rests(now) {
		return nil
	}
	final := s.lines(s.held)
	s.held, s.waiting = nil, false
	p := pen{region: s.live, columns: s.seen.columns}
	if s.stale || s.live.size != s.seen {
		p.erase(s.reflowed())
		s.stale = false
	}
	live, cursor := s.fit(f)
	defer func() { s.shown = [2]int{s.cutOff, s.cutOff + len(live)} }()
	if len(final) == 0 {
		p.change(live)
	} else {
		p.overwrite(final, live)
	}
	p.put(cursor, len(live))
	s.live = region{lines: live, at: p.at, size: s.seen}
	return s.frame(p.String(), cursor)
}

// Shown is which live rows of the last frame the terminal shows: none if the frame was held.
func (s *Screen) Shown() (from, to int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown[0], s.shown[1]
}

// frame writes a frame, if there is anything to write.
func (s *Screen) frame(text string, c Cursor) error {
	if c.Shown == s.hidden {
		s.hidden = !c.Shown
		if c.Shown {
			text += showCursor
		} else {
			text = hideCursor + text
		}
	}
	if text == "" {
		return nil
	}
	text = syncBegin + text + syncEnd
	if !s.asked {
		s.asked, text = true, text+s.kind.ask()
	}
	return s.write(text)
}

// Redraw makes the next frame paint all live rows again, for a terminal that another program has
// written to.
func (s *Screen) Redraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	if s.over != nil {
		s.over.size = size{}
	}
}

// fit is the live rows that the terminal has room for, and the cursor in them.
func (s *Screen) fit(f Frame) ([]line, Cursor) {
	rows, c := f.Live, f.Cursor
	s.cutOff = 0
	if room := max(s.seen.rows-1, 1); len(rows) > room {
		from := len(rows) - room
		if c.Shown {
			from = min(from, max(c.Row, 0))
		}
		rows, c.Row, s.cutOff = rows[from:from+room], c.Row-from, from
	}
	return s.cut(rows, c, s.seen.columns)
}

// cut is rows that are cut at a width, and the cursor in them.
func (s *Screen) cut(rows []row.Row, c Cursor, columns int) ([]line, Cursor) {
	out := make([]line, len(rows))
	for i, r := range rows {
		out[i] = s.line(expand(r).Cut(columns))
	}
	c.Row = min(max(c.Row, 0), max(len(rows)-1, 0))
	c.Column = min(max(c.Column, 0), max(columns-1, 0))
	return out, c
}

// line is a row as it is written.
type line struct {
	row   row.Row
	text  string
	width int // columns
}

func (s *Screen) line(r row.Row) line { return line{row: r, text: s.theme.Line(r), width: r.Width()} }

func (s *Screen) lines(rows []row.Row) []line {
	out := make([]line, len(rows))
	for i, r := range rows {
		out[i] = s.line(expand(r))
	}
	return out
}
