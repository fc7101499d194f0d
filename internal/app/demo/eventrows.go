package demo

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// eventRows prints the events of a session as they come, one row each: whether it is
// ephemeral, its time, its type and its content. The pieces of a streaming answer share
// one row, which grows; the progress events of a download get one row at its end.
type eventRows struct {
	out   io.Writer
	look  terminal.Paint
	begin time.Time
	width int    // of a row, in columns
	cwd   string // below which paths are shortened

	growing  wire.EventType // of the row that grows; "" for none
	used     int            // columns of that row
	word     []rune         // of that row, not printed yet: it may need a new line
	space    int            // before that word
	pieces   int            // in that row
	progress wire.Event     // the last streaming_delta not shown
	waiting  int            // how many of them there are

	told int   // ephemeral events so far
	err  error // of the first write that failed
}

// The columns of a row; the content of the event has the rest of the line.
const (
	typeColumn = 10
	textColumn = typeColumn + 30
)

// isPiece reports whether an event is a piece of a row that grows.
func isPiece(t wire.EventType) bool {
	return t == wire.MessageDelta || t == wire.ReasoningDelta || t == wire.ToolCallDelta
}

// event prints one event.
func (t *eventRows) event(e wire.Event) {
	if e.Ephemeral {
		t.told++
	}
	switch {
	case e.Type == wire.StreamingDelta:
		t.progress, t.waiting = e, t.waiting+1
	case isPiece(e.Type):
		if e.Type != t.growing {
			t.beginRow(e)
		}
		t.pieces++
		text, _ := timeline.StreamedText(e)
		t.grow(timeline.Harmless(text))
	default:
		t.endRow()
		t.endProgress()
		what := timeline.Brief(e)
		if q, ok := timeline.ReadRequest(e); ok {
			what = q.Title(t.cwd)
		}
		text := t.row(e) + " " + timeline.OneLine(what, t.width-textColumn)
		t.write(strings.TrimRight(text, " ") + "\n")
	}
}

// row is the columns of an event up to its text, without the space before it.
func (t *eventRows) row(e wire.Event) string {
	mark, name := " ", timeline.Pad(string(e.Type), textColumn-typeColumn-1)
	if e.Ephemeral {
		mark, name = "·", t.look.Dim(name)
	}
	return fmt.Sprintf("%s %6.3f  %s", mark, e.Time.Sub(t.begin).Seconds(), name)
}

// beginRow begins a row that grows, with the name of the tool if there is one.
func (t *eventRows) beginRow(e wire.Event) {
	t.endRow()
	t.growing, t.pieces, t.used, t.space = e.Type, 0, textColumn-1, 1
	t.write(t.row(e))
	if _, name := timeline.StreamedText(e); name != "" {
		t.grow(timeline.Harmless(name) + " ")
	}
}

// grow adds text to the row, word by word.
func (t *eventRows) grow(text string) {
	for _, r := range text {
		switch r {
		case ' ', '\t':
			t.endWord()
			t.space++
		case '\n':
			t.endWord()
			t.space = t.width // the next word goes below
		default:
			t.word = append(t.word, r)
		}
	}
}

// endWord prints the collected word, on a new line if the line has no room for it.
func (t *eventRows) endWord() {
	if len(t.word) == 0 {
		return
	}
	before := strings.Repeat(" ", t.space)
	if t.used >= textColumn && t.used+t.space+len(t.word) > t.width {
		before = "\n" + strings.Repeat(" ", textColumn)
		t.used, t.space = textColumn, 0
	}
	t.write(before + string(t.word))
	t.used += t.space + len(t.word)
	t.word, t.space = t.word[:0], 0
}

// endRow prints how many pieces the row has, and ends it.
func (t *eventRows) endRow() {
	if t.growing == "" {
		return
	}
	t.endWord()
	t.space = 2
	t.grow(fmt.Sprintf("×%d\n", t.pieces))
	t.write("\n")
	t.growing = ""
}

func (t *eventRows) endProgress() {
	if t.waiting == 0 {
		return
	}
	t.write(fmt.Sprintf("%s %s  ×%d\n", t.row(t.progress), timeline.Brief(t.progress), t.waiting))
	t.waiting = 0
}

// act prints an act in the columns of an event.
func (t *eventRows) act(a act) {
	t.endRow()
	t.endProgress()
	t.write(fmt.Sprintf("%s %6.3f  %s%s\n", t.look.Yellow("→"), a.when.Sub(t.begin).Seconds(),
		t.look.Yellow(timeline.Pad(a.who, textColumn-typeColumn)), timeline.OneLine(a.what, t.width-textColumn)))
}

// say prints text between rows.
func (t *eventRows) say(text string) {
	t.endRow()
	t.endProgress()
	t.write(text)
}

func (t *eventRows) write(s string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.out, s)
	}
}
