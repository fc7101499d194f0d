package screen

import (
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// overlay is what the alternate screen shows.
type overlay struct {
	lines []line
	size  size
	at    Cursor
}

// Overlay shows rows on the whole of the alternate screen, or changes those that are shown. The
// first row is the top of the screen; rows that have no room are not shown. The inline region is
// there again after EndOverlay.
func (s *Screen) Overlay(rows []row.Row, c Cursor) error {
	if !s.lock() {
		return nil
	}
	defer s.mu.Unlock()
	if s.raw == nil {
		return nil
	}
	var b strings.Builder
	if s.over == nil {
		b.WriteString(enterOther)
		if !s.kind.simple {
			b.WriteString(pushKeys) // each screen has a stack of its own
		}
		s.over = &overlay{}
	}
	present := s.present()
	lines, c := s.cut(rows[:min(len(rows), present.rows)], c, present.columns)
	s.over.change(&b, lines, present)
	if b.Len() > 0 || c != s.over.at {
		place(&b, c.Row, c.Column)
	}
	s.over.lines, s.over.size, s.over.at = lines, present, c
	return s.frame(b.String(), c)
}

// change writes the rows that differ.
func (o *overlay) change(b *strings.Builder, lines []line, present size) {
	if o.size != present {
		b.WriteString("\x1b[H\x1b[2J")
		o.lines = nil
	}
	for i, l := range lines {
		if i < len(o.lines) {
			if o.lines[i].text == l.text {
				continue
			}
			place(b, i, 0)
			b.WriteString("\x1b[K" + l.text)
			continue
		}
		place(b, i, 0)
		b.WriteString(l.text)
	}
	if len(lines) < len(o.lines) {
		place(b, len(lines), 0)
		b.WriteString("\x1b[J")
	}
}

// place moves to a place of the screen, from 0.
func place(b *strings.Builder, row, column int) {
	b.WriteString("\x1b[" + strconv.Itoa(row+1) + ";" + strconv.Itoa(column+1) + "H")
}

// EndOverlay returns to the inline region. The next frame shows what has come meanwhile.
func (s *Screen) EndOverlay() error {
	if !s.lock() {
		return nil
	}
	defer s.mu.Unlock()
	return s.write(s.leaveOverlay())
}

// leaveOverlay is what ends the overlay, "" if there is none.
func (s *Screen) leaveOverlay() string {
	if s.over == nil {
		return ""
	}
	s.over = nil
	if s.kind.simple {
		return leaveOther
	}
	return popKeys + leaveOther
}
