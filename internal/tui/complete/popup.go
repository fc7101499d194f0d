package complete

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

const (
	// Height is the most matches that a popup shows. A row below them says how many there are, if there are more.
	Height = 8
	// offered is how many matches the user can walk through.
	offered = 100
)

// Popup is the list of matches while the user types. The zero value is closed.
type Popup struct {
	list    *List
	query   string
	matches []Match
	fit     []int32 // all candidates that fit the query
	chosen  int
	first   int  // the match in the first row
	moved   bool // the user has chosen the match
}

// Open opens the popup with the candidates that fit a query.
func (p *Popup) Open(list *List, query string) {
	*p = Popup{list: list, query: query}
	p.rank(false)
}

// Close closes the popup.
func (p *Popup) Close() { *p = Popup{} }

// IsOpen reports whether the popup is open. It can be open without a match.
func (p *Popup) IsOpen() bool { return p.list != nil }

// Set changes the query of an open popup; the best match is chosen.
func (p *Popup) Set(query string) {
	if !p.IsOpen() || query == p.query {
		return
	}
	longer := strings.HasPrefix(query, p.query) && newPattern(query).exactCase == newPattern(p.query).exactCase
	p.query = query
	p.rank(longer)
}

// Use replaces the candidates of an open popup, as when the files have been read again. The
// chosen one stays, if it still fits.
func (p *Popup) Use(list *List) {
	if !p.IsOpen() || list == nil {
		return
	}
	was, _ := p.Chosen()
	moved := p.moved
	p.list = list
	p.rank(false)
	for i, m := range p.matches {
		if m.Text == was.Text {
			p.Move(i)
			p.moved = moved
			return
		}
	}
}

// rank finds the matches; narrowed says that only those that fitted before can fit.
func (p *Popup) rank(narrowed bool) {
	p.matches, p.fit = p.list.rank(p.query, p.fit, narrowed, offered)
	p.chosen, p.first, p.moved = 0, 0, false
}

// Move chooses a match further down, or up if by is negative. Behind the last comes the first.
func (p *Popup) Move(by int) {
	n := len(p.matches)
	if n == 0 {
		return
	}
	p.moved = true
	p.chosen = ((p.chosen+by)%n + n) % n
	p.first = min(max(p.first, p.chosen-Height+1), p.chosen)
}

// Moved reports whether the user has chosen the match, with [Popup.Move].
func (p *Popup) Moved() bool { return p.moved }

// Chosen is the match that is chosen. ok is false if nothing fits.
func (p *Popup) Chosen() (c Candidate, ok bool) {
	if len(p.matches) == 0 {
		return Candidate{}, false
	}
	return p.matches[p.chosen].Candidate, true
}

// Rows are the matches around the chosen one, at most [Height], in rows of at most width columns; none if the
// popup is closed. If there are more, a last row says how many are shown, and how to see the others. An open
// popup without a match has one row that says so.
func (p *Popup) Rows(width int) []row.Row {
	if !p.IsOpen() {
		return nil
	}
	if len(p.matches) == 0 {
		return []row.Row{row.Of("  nothing matches", row.Dim).Cut(width)}
	}
	shown := p.matches[p.first:min(p.first+Height, len(p.matches))]
	column := 0 // where the help begins
	for _, m := range shown {
		if m.Help != "" {
			column = max(column, row.Width(harmless(m.Text)))
		}
	}
	rows := make([]row.Row, 0, len(shown))
	for i, m := range shown {
		rows = append(rows, p.row(m, p.first+i == p.chosen, min(column, width/2), width))
	}
	if len(p.fit) > len(shown) {
		rows = append(rows, p.more(len(shown), width))
	}
	return rows
}

// more says how many of the matches are shown, and how to see the others.
func (p *Popup) more(shown, width int) row.Row {
	how := "↓ shows more, letters narrow"
	if p.query != "" && len(p.fit) > len(p.matches) {
		how = "more letters narrow them" // the key does not reach all
	}
	return row.Of(fmt.Sprintf("  %d of %s; %s", shown, timeline.Count(int64(len(p.fit))), how), row.Dim).Cut(width)
}

func (p *Popup) row(m Match, chosen bool, column, width int) row.Row {
	mark, style := "  ", row.Plain
	if chosen {
		mark, style = "› ", row.Accent
	}
	r := row.Of(mark, row.Accent)
	text := marked(m, style)
	if m.Help == "" {
		return r.Join(front(text, width-2)).Cut(width)
	}
	r = r.Join(text.Cut(column).Pad(column))
	return r.And("  "+harmless(m.Help), row.Dim).Cut(width)
}

// marked is the text of a match with the matched characters in bold.
func marked(m Match, style row.Style) (r row.Row) {
	at, i := m.At, 0
	for g := range row.Graphemes(m.Text) {
		s := style
		for len(at) > 0 && at[0] < i+len(g) {
			s, at = style|row.Bold|row.Underline, at[1:]
		}
		i += len(g)
		g = harmless(g)
		if n := len(r); n > 0 && r[n-1].Style == s {
			r[n-1].Text += g
			continue
		}
		r = r.And(g, s)
	}
	return r
}

// front cuts a row that is too wide at its beginning: the end of a path says more.
func front(r row.Row, width int) row.Row {
	over := r.Width() - width
	if over <= 0 {
		return r
	}
	var out row.Row
	over++ // for the ellipsis
	for _, s := range r {
		if over <= 0 {
			out = out.And(s.Text, s.Style)
			continue
		}
		rest := s.Text
		for g, w := range row.Graphemes(s.Text) {
			if over <= 0 {
				break
			}
			over -= w
			rest = rest[len(g):]
		}
		if over <= 0 {
			out = row.Of("…", row.Dim).And(rest, s.Style)
		}
	}
	return out
}

// harmless is a text of one line that controls no terminal.
func harmless(s string) string {
	return row.Harmless(strings.ReplaceAll(timeline.Harmless(s), "\n", "\ufffd"))
}
