package cell

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/markdown"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// maxPrompt bounds the rows of a message of the user.
const maxPrompt = 12

// prompt is a message of the user, or of a program in the user's place.
type prompt struct {
	text     string
	from     string // the program that has written it, "" for the user
	attached []string
	whole    bool
	all      string // how to read what is folded
}

func (p *prompt) done() bool  { return true }
func (p *prompt) tight() bool { return false }

func (p *prompt) take(width int) []row.Row {
	mark := row.Of("› ", row.Accent|row.Bold)
	if p.from != "" {
		mark = row.Of(p.from+" › ", row.Dim)
	}
	var rows []row.Row
	for i, l := range strings.Split(strings.TrimSpace(p.text), "\n") {
		head := mark
		if i > 0 {
			head = row.Text("  ")
		}
		rows = append(rows, head.And(row.Expand(l), row.Bold).Wrap(min(width-1, proseWidth), row.Text("  "))...)
	}
	if !p.whole {
		rows = folded(rows, maxPrompt, p.all)
	}
	for _, name := range p.attached {
		rows = append(rows, row.Of("  attached: "+name, row.Dim).Cut(width-1))
	}
	return rows
}

func (p *prompt) live(s scene) []row.Row { return p.take(s.width) }

// typed is a slash command of the user. What it has printed stands below it.
type typed struct{ text string }

func (c *typed) done() bool  { return true }
func (c *typed) tight() bool { return false }

func (c *typed) take(width int) []row.Row {
	rows := row.Of("› ", row.Dim).And(row.Expand(c.text), row.Accent).Wrap(min(width-1, proseWidth), row.Text("  "))
	return folded(rows, maxTyped, "")
}

func (c *typed) live(s scene) []row.Row { return c.take(s.width) }

// maxTyped bounds the rows of a slash command.
const maxTyped = 4

// Typed shows a slash command as the user has typed it.
func (c *Conversation) Typed(command string) {
	c.queue.put(&typed{timeline.OneLine(command, maxTyped*proseWidth)})
}

// answering is an answer that can be written: [answer] or [written].
type answering interface {
	cell
	write(piece string)
	end(sources []timeline.Source)
}

func (a *answer) write(piece string) { a.stream.Write(unbarred(piece)) }
func (a *answer) end(sources []timeline.Source) {
	a.stream.Finish()
	a.ended, a.sources = true, sources
}

func (w *written) write(piece string)            { w.source.WriteString(unbarred(piece)) }
func (w *written) end(sources []timeline.Source) { w.ended, w.sources = true, sources }

// folded is the beginning of rows that are more than most, how many are missing, and how to read all.
func folded(rows []row.Row, most int, all string) []row.Row {
	more := len(rows) - most
	if more <= 1 {
		return rows
	}
	return append(rows[:most:most], row.Of("  … "+plural(more, "more row")+all, row.Dim))
}

// answer is a message of the model, which streams.
type answer struct {
	stream  markdown.Stream
	ready   []row.Row // that Live has shown, and that were not taken
	sources []timeline.Source
	ended   bool
	shown   bool // the sources were taken
}

func (a *answer) done() bool  { return a.ended }
func (a *answer) tight() bool { return false }

func (a *answer) take(width int) []row.Row {
	rows := append(a.ready, a.stream.Take(width)...)
	a.ready = nil
	if a.ended && !a.shown {
		a.shown = true
		rows = append(rows, sources(a.sources, width)...)
	}
	return rows
}

func (a *answer) live(s scene) []row.Row {
	a.ready = append(a.ready, a.stream.Take(s.width)...)
	rows := append(a.ready[:len(a.ready):len(a.ready)], a.stream.Tail(s.width)...)
	return append(rows, sources(a.sources, s.width)...)
}

// written is an answer in a transcript. It keeps the source.
type written struct {
	source  strings.Builder
	sources []timeline.Source
	ended   bool
}

func (w *written) done() bool  { return w.ended }
func (w *written) tight() bool { return false }

func (w *written) take(width int) []row.Row {
	return append(markdown.Rows(w.source.String(), width), sources(w.sources, width)...)
}

func (w *written) live(s scene) []row.Row { return w.take(s.width) }

func sources(list []timeline.Source, width int) (rows []row.Row) {
	for _, s := range list {
		rows = append(rows, row.Of("· ", row.Dim).And(s.String(), row.Plain).Cut(width-1))
	}
	return rows
}
