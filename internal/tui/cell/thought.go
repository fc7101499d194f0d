package cell

import (
	"bytes"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// thought is the reasoning of the model before an answer: one row with its length when it has
// ended, and its last rows before.
type thought struct {
	text  []byte
	began time.Time
	took  time.Duration
	ended bool
	whole bool // the text stays
}

func (t *thought) add(piece string) { t.text = append(t.text, piece...) }
func (t *thought) end()             { t.ended = true }
func (t *thought) done() bool       { return t.ended }
func (t *thought) tight() bool      { return !t.whole }
func (t *thought) at(now time.Time) { t.took = now.Sub(t.began) }

func (t *thought) take(width int) []row.Row {
	text := bytes.TrimSpace(t.text)
	if !t.ended || len(text) == 0 {
		return nil
	}
	head := "∴ thought"
	if t.took >= time.Second {
		head += " for " + elapsed(t.took)
	}
	rows := []row.Row{row.Of(head+" · "+plural(len(bytes.Fields(text)), "word"), row.Dim).Cut(width - 1)}
	if t.whole {
		rows = append(rows, dimmed(string(text), width)...)
	}
	return rows
}

// How much of the reasoning is shown while it streams.
const (
	thinkingRows  = 3
	thinkingBytes = 2 << 10 // more than these rows show
)

func (t *thought) live(s scene) []row.Row {
	if t.ended {
		return t.take(s.width)
	}
	text := bytes.TrimSpace(t.text)
	if n := len(text) - thinkingBytes; n > 0 {
		text = text[n:]
	}
	rows := dimmed(strings.ToValidUTF8(string(text), ""), s.width)
	return rows[max(len(rows)-min(thinkingRows, s.tail), 0):]
}

// dimmed is text in dim rows.
func dimmed(text string, width int) (rows []row.Row) {
	for _, r := range wrapped(text, width-1) {
		rows = append(rows, r.With(row.Dim))
	}
	return rows
}

// openThought is reasoning that is shown in full: its lines become final as they end.
type openThought struct {
	thought
	taken int // bytes of the text
	begun bool
}

func (t *openThought) tight() bool { return false }

func (t *openThought) take(width int) []row.Row {
	end := len(t.text)
	if !t.ended {
		end = t.taken + bytes.LastIndexByte(t.text[t.taken:], '\n') + 1
	}
	rows := t.rows(end, width)
	t.taken, t.begun = end, t.begun || len(t.text) > 0
	return rows
}

func (t *openThought) live(s scene) []row.Row { return t.rows(len(t.text), s.width) }

// rows are those of the text up to a byte that were not taken.
func (t *openThought) rows(end, width int) (rows []row.Row) {
	if !t.begun && len(t.text) > 0 {
		rows = []row.Row{row.Of("∴ thinking", row.Dim)}
	}
	return append(rows, dimmed(string(t.text[t.taken:end]), width)...)
}
