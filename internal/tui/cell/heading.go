package cell

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// heading is the row that names a call, a sub-agent or a job.
type heading struct {
	mark    row.Row
	number  int // of the call, 0 for none
	title   string
	lead    row.Row  // the most important detail, nil for none
	short   string   // a text that is cut if it has no room
	details []string // the last ones are left out first
}

// waitsForUser is the lead of what waits for an answer of the user.
const waitsForUser = "waits for you"

// leastShort is the fewest columns that a text in short is worth.
const leastShort = 12

const divider = " · "

// begin is the mark and the number.
func (h *heading) begin() row.Row {
	if h.number == 0 {
		return h.mark.And(" ", row.Plain)
	}
	return h.mark.And(fmt.Sprintf(" [%d] ", h.number), row.Dim)
}

// fits reports whether the lead has room beside the title, or beside half of the width for it.
func (h *heading) fits(width int) bool { return h.room(width)-h.leastTitle(width) >= h.led().Width() }

// room is the columns for the title and what follows it.
func (h *heading) room(width int) int { return width - 1 - h.begin().Width() }

// leastTitle is the columns of the title that nothing else takes.
func (h *heading) leastTitle(width int) int { return min(row.Width(h.title), width/2) }

// led is the lead with its divider.
func (h *heading) led() row.Row {
	if len(h.lead) == 0 {
		return nil
	}
	return row.Of(divider, row.Dim).Join(h.lead)
}

// row is the heading in one row.
func (h *heading) row(width int) row.Row {
	led, rest := h.led(), ""
	free := h.room(width) - h.leastTitle(width) - led.Width()
	for _, d := range h.details {
		if row.Width(rest+divider+d) > free {
			break
		}
		rest += divider + d
	}
	room := h.room(width) - led.Width() - row.Width(rest)
	title := row.Text(h.title).Cut(room)
	if room -= title.Width(); room > leastShort && h.short != "" {
		rest = row.Text(divider+h.short).Cut(room).String() + rest
	}
	return h.begin().Join(title, led).And(rest, row.Dim).Cut(width - 1)
}
