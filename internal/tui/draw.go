package tui

import (
	"cmp"
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/tui/screen"
)

// The parts of the screen, at most, in rows.
const (
	queueRows  = 3 // of what is queued
	boxRows    = 3 // of the input box while a question is shown
	leastCells = 1 // of what grows, if the screen has room for anything
	// airy is from which height on a blank row is above the input box.
	airy = 12
)

// paint shows the present state.
func (p *program) paint(now time.Time) error {
	if p.broken != nil {
		return p.broken
	}
	width, height := p.screen.Size()
	p.painted, p.stale = now, false
	if p.keyed {
		p.answered, p.keyed = now, false
	}
	frame := screen.Frame{Final: p.talk.Take(width)}
	if p.quit {
		return p.screen.Paint(frame, now)
	}
	p.handing.painted(p.queue.holds() && len(p.overlays) == 0, now)
	if n := len(p.overlays); n > 0 {
		if err := p.screen.Paint(frame, now); err != nil { // which keeps the rows for later
			return err
		}
		rows, cursor := p.overlays[n-1].rows(width, height)
		if err := p.screen.Overlay(rows, cursor); err != nil {
			return err
		}
		if page, ok := p.overlays[n-1].(*pagerPage); ok {
			page.painted(width, height)
		}
		return nil
	}
	frame.Live, frame.Cursor = p.live(width, height, now)
	if err := p.screen.Paint(frame, now); err != nil {
		return err
	}
	from, to := p.screen.Shown()
	if shown := p.questions.rows; shown.from < shown.to && from <= shown.from && shown.to <= to {
		p.questions.Painted(now)
	}
	return nil
}

// placeholder is what the empty input box says: the longest hint that fits. help is how to get to the keys.
func placeholder(width int, help string) string {
	hints := []string{
		"Ask anything, / for commands, @ for files, ! for the shell, " + help + " for keys",
		"Ask anything, / for commands, " + help + " for keys",
		"Ask anything, " + help + " shows the keys",
	}
	for _, h := range hints {
		if row.Width(h)+3 < width {
			return h
		}
	}
	return "Ask anything"
}

// live is the rows below the conversation: what grows, what happens now, what is queued, the question
// that waits, the input box and the status line.
func (p *program) live(width, height int, now time.Time) (rows []row.Row, cursor screen.Cursor) {
	p.questions.Draft, p.questions.Completing = !p.box.Empty(), p.completing()
	most := max(height/3, 1)
	if p.questions.Len() > 0 { // the question matters more
		most = max(min(height/8, boxRows), 1)
	}
	p.box.Placeholder = placeholder(width, cmp.Or(p.Keys.Key(keymap.Keys), "/help"))
	box, caret := p.box.Rows(width, most)
	if height >= airy {
		box, caret.Row = append([]row.Row{nil}, box...), caret.Row+1
	}
	below := append(p.box.Popup(width), p.status(now).Rows(width)...)
	asked, at := p.questions.Rows(width, height-1-len(box)-len(below), now)
	middle := append(p.activity(width, now), p.queued(width)...)
	room := height - 1 - len(box) - len(below) - len(asked) - len(middle)
	if room < leastCells { // the question and the input box matter more
		middle = middle[:max(min(len(middle), len(middle)+room), 0)]
		room = height - 1 - len(box) - len(below) - len(asked) - len(middle)
	}
	rows = p.talk.Live(width, max(room-1, 0), now)
	if len(middle) > 0 || len(rows) > 0 && (len(asked) > 0 || height < airy) {
		rows = append(rows, nil)
	}
	rows = append(rows, middle...)
	before := len(rows)
	rows = append(rows, asked...)
	p.questions.rows = span{before, len(rows)}
	if at != nil && p.questions.Has(now) {
		cursor = screen.Cursor{Row: before + at.Row, Column: at.Column, Shown: true}
	} else {
		cursor = screen.Cursor{Row: len(rows) + caret.Row, Column: caret.Column, Shown: p.questions.Len() == 0 || !p.questions.Has(now)}
	}
	rows = append(rows, box...)
	return append(rows, below...), cursor
}

// activity is what happens now, in one row at most.
func (p *program) activity(width int, now time.Time) []row.Row {
	if a := p.talk.Activity(now).Row(width); a != nil {
		return []row.Row{a}
	}
	if len(p.own.stops) > 0 {
		return []row.Row{row.Of(cmp.Or(p.how("%s to stop the command", keymap.Interrupt), "a command of yours runs"), row.Dim).Cut(width * 3 / 4)}
	}
	return nil
}

// queued is what waits to be sent.
func (p *program) queued(width int) []row.Row {
	var rows []row.Row
	if note := p.waits(); note != "" { // not in the status line, which may say that everything is allowed
		rows = row.Of(note, row.Warning).Wrap(max(width-1, 1), nil)
	}
	return append(rows, p.queueItems(width)...)
}

// queueItems are the messages that wait.
func (p *program) queueItems(width int) (rows []row.Row) {
	for _, w := range p.waiting {
		if w.draft != nil && len(rows) < queueRows {
			rows = append(rows, line("when the session is open: ", w.draft.Line(), width))
		}
	}
	for _, text := range p.queue.Steering {
		rows = append(rows, line("sent with the next model call: ", text, width))
	}
	label := "queued: "
	if p.queue.Held {
		label = "held: "
	}
	for i, q := range p.queue.Items {
		if len(rows) == queueRows-1 && len(p.queue.Items)-i > 1 {
			return append(rows, line("", "… "+timeline.Count(int64(len(p.queue.Items)-i))+" more", width))
		}
		rows = append(rows, line(label, q.Text, width))
	}
	return rows
}

// waits says what waits for the user, "" for nothing.
func (p *program) waits() string {
	q := &p.queue
	held := q.Held && len(q.Items) > 0
	switch {
	case q.Interrupted && held:
		return "the last run did not finish" + p.how(": %s continues it and sends the held messages after it", keymap.HandOver)
	case q.Interrupted:
		return "the last run did not finish" + p.how(": %s continues it", keymap.HandOver)
	case held:
		return "your next message sends the held queue" + p.how(", %s sends it now", keymap.HandOver) + p.how(", %s takes one back", keymap.Up)
	}
	return ""
}

// line is a dim row.
func line(label, text string, width int) row.Row {
	return row.Of(label+timeline.OneLine(text, 2*width), row.Dim).Cut(width - 1)
}

// status is the status line.
func (p *program) status(now time.Time) cell.Status {
	s := p.talk.Status()
	if s.Model == "" {
		s.Model = p.about.Model
	}
	s.Server = p.about.Server
	s.Folder, s.Branch, s.Mode, s.Queued = p.about.Folder, p.about.Branch, p.mode, len(p.queue.Items)
	if p.shellAt != "" && p.shellAt != s.Folder {
		s.Folder += " (shell in " + p.shellAt + ")"
	}
	s.Free, s.Vi = p.about.AllowAll, p.box.Mode()
	switch {
	case now.Before(p.leaving):
		s.Note = "press Ctrl-C again to leave"
	case now.Before(p.notice.until):
		s.Note = p.notice.text
	case !p.opening.IsZero() && now.Sub(p.opening) >= openingTime:
		s.Note = "opening the session …"
	}
	return s
}
