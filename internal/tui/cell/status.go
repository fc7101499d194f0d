package cell

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Status is the status line. Zero values are not shown.
type Status struct {
	Model   string // with its address, if it has one; the row shows its short name
	Mode    string // "plan" or "autopilot"; "interactive" is not shown
	Vi      string // the mode of the vi keys, "normal" or "insert"
	Free    bool   // everything is allowed without asking
	Server  string // the address of the server that has the session
	Folder  string
	Branch  string
	Context int // percent of the context window that is full, -1 if it is not known
	Tokens  int64
	Cost    float64 // in US dollars
	Queued  int     // messages
	Jobs    int     // sub-agents and commands in the background
	Note    string  // of the interface, such as "press Ctrl-C again to leave"; Rows shows it alone
}

// Status returns what the events say. The caller adds the rest.
func (c *Conversation) Status() Status {
	return Status{
		Model: c.run.model, Mode: c.run.mode, Folder: c.run.folder, Context: c.usage.percent(), Tokens: c.usage.tokens,
		Cost: c.usage.cost, Jobs: len(c.jobs) + len(c.atTop()),
	}
}

// nearlyFull is from which percentage on the context window is shown as a warning.
const nearlyFull = 80

// maxNote bounds the rows of a note.
const maxNote = 4

// Rows is the note if there is one, else the status in one row. No row reaches the last column.
func (s Status) Rows(width int) []row.Row {
	if s.Note == "" {
		return []row.Row{s.Row(width)}
	}
	rows := row.Of(timeline.OneLine(s.Note, 300), row.Warning).Wrap(max(width-1, 1), nil)
	return rows[:min(len(rows), maxNote)]
}

// Row is the status in one row that ends before the last column. Where it has no room for
// everything, it leaves out first the branch, then the tokens, the folder, the cost.
func (s Status) Row(width int) row.Row {
	parts := s.parts()
	for len(parts) > 1 && joined(parts).Width() > width-1 {
		least := 0
		for i, p := range parts {
			if p.rank >= parts[least].rank {
				least = i
			}
		}
		parts = append(parts[:least:least], parts[least+1:]...)
	}
	return joined(parts).Cut(width - 1)
}

// part is one part of the status. The one with the highest rank is left out first.
type part struct {
	rank int
	row  row.Row
}

func (s Status) parts() (parts []part) {
	add := func(rank int, style row.Style, text string) {
		if text = timeline.OneLine(text, 60); text != "" {
			parts = append(parts, part{rank, row.Of(text, style)})
		}
	}
	add(3, row.Accent, strings.ToUpper(s.Vi))
	add(1, row.Plain, shortModel(s.Model))
	if s.Mode != "interactive" && s.Mode != "" {
		add(2, row.Warning, s.Mode)
	}
	if s.Free {
		add(0, row.Warning, "allow-all") // a narrow terminal shows it, too
	}
	if s.Queued > 0 {
		add(3, row.Accent, fmt.Sprintf("%d queued", s.Queued))
	}
	if s.Jobs > 0 {
		add(4, row.Accent, plural(s.Jobs, "job"))
	}
	if s.Context >= 0 {
		style := row.Dim
		if s.Context >= nearlyFull {
			style = row.Warning
		}
		add(5, style, fmt.Sprintf("context %d%%", s.Context))
	}
	if s.Cost > 0 {
		add(6, row.Dim, timeline.Dollars(s.Cost))
	}
	if s.Tokens > 0 {
		add(8, row.Dim, counted(s.Tokens)+" tokens")
	}
	if s.Server != "" {
		add(3, row.Dim, "on "+s.Server)
	}
	add(7, row.Dim, s.Folder)
	if s.Branch != "" {
		add(9, row.Dim, "⎇ "+s.Branch)
	}
	return parts
}

// longModel is from how many columns on the name of a model loses what is before its last slash, and then its end.
const longModel = 32

// shortModel is a model as the status line has room for it: without the address of its server, the folders of
// its file, or the account of a long id. /status shows the whole name.
func shortModel(name string) string {
	if address, model, found := strings.Cut(name, "#"); found && model != "" && strings.Contains(address, "://") {
		name = model
	}
	path := strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".gguf")
	if last := name[strings.LastIndexAny(name, `/\`)+1:]; last != "" && (path || row.Width(name) > longModel) {
		name = last
	}
	return row.Text(timeline.OneLine(strings.TrimSuffix(name, ".gguf"), 200)).Cut(longModel).String()
}

func joined(parts []part) (r row.Row) {
	for i, p := range parts {
		if i > 0 {
			r = r.And(" · ", row.Dim)
		}
		r = r.Join(p.row)
	}
	return r
}
