package ask

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Screen is what a question needs of a terminal. [terminal.TTY] is one.
type Screen interface {
	io.Writer
	Size() (columns, rows int)
	Discard()
	ReadLine(ctx context.Context, prompt string, look func(string) string) (string, error)
}

var _ Screen = (*terminal.TTY)(nil)

// Asker asks the user at a terminal, one question at a time.
type Asker struct {
	Screen
	Look terminal.Paint
	// Numbered prints the answers of every question in rows of their own, with numbers that the user
	// can type, for a screen reader.
	Numbered bool
}

// TypedMessageError carries the message that the user has typed instead of an answer.
type TypedMessageError struct{ Text string }

func (TypedMessageError) Error() string { return "the user has written a message instead of an answer" }

// numbers prints the answers of a question in rows of their own. scope is what the option for the
// session allows, and more adds the answer that shows all of the question.
func (a *Asker) numbers(q *question.Question, scope string, more bool) {
	var texts []string
	for _, o := range q.Options {
		text := o.Text
		if o.Grants != "" {
			text += ": " + scope
		}
		texts = append(texts, text)
	}
	a.list(texts)
	if more {
		_, _ = io.WriteString(a, "  v  view all of it\n")
	}
}

// asking is a question on the screen. options prints the answers that the user can give; nil: the
// prompt names them.
type asking struct {
	q       *question.Question
	d       *details
	options func()
	prompt  string
}

// choose asks until the user has chosen an option, and returns it with its text, or an answer in
// own words.
func (a *Asker) choose(ctx context.Context, s asking) (option int, text string, own *question.Answer, err error) {
	for {
		if s.options != nil {
			s.options()
		}
		line, err := a.ReadLine(ctx, s.prompt, a.Look.Bold)
		if err != nil {
			return -1, "", nil, err
		}
		if s.d != nil && s.d.asked(s.q, line) {
			s.d.view()
			continue
		}
		option, text, own, remark := s.q.Typed(line)
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && a.Numbered && len(s.q.Numbered()) == 0 && n >= 1 && n <= len(s.q.Options) {
			option, remark = n-1, ""
		}
		switch {
		case remark != "":
			a.remark(remark)
		case own != nil:
			return -1, "", own, nil
		case option < 0, s.q.Options[option].Allows && s.d != nil && !s.d.read():
		default:
			return option, text, nil, nil
		}
	}
}

// answer asks until the user has answered. Errors are those of [terminal.TTY.ReadLine],
// [cli.ErrAborted] if the user stops the run, and a [TypedMessageError].
func (a *Asker) answer(ctx context.Context, s asking) (question.Answer, error) {
	for {
		option, text, own, err := a.choose(ctx, s)
		switch {
		case err != nil:
			return question.Answer{}, err
		case own != nil:
			return *own, nil
		}
		if prompt := s.q.Options[option].Prompt; prompt != "" && text == "" {
			if text, err = a.ReadLine(ctx, prompt+" › ", a.Look.Bold); err != nil {
				return question.Answer{}, err
			}
		}
		answer, err := s.q.Choose(option, text)
		switch {
		case err != nil: // it needs words
		case answer.Stop:
			return question.Answer{}, cli.ErrAborted
		case answer.Instead != "":
			return question.Answer{}, TypedMessageError{answer.Instead}
		default:
			return answer, nil
		}
	}
}

// Mark begins each question of the program, in the first column, where text from elsewhere never is.
const Mark = "? "

// headed is the rows of a heading: the first begins with [Mark], and the others with [terminal.Margin].
func headed(text string, width int) []string {
	var rows []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		for _, row := range timeline.Wrap(line, width-len(Mark)) {
			mark := terminal.Margin
			if len(rows) == 0 {
				mark = Mark
			}
			rows = append(rows, mark+row)
		}
	}
	return rows
}

// heading prints the heading of a question. It returns the rows that a screen has no room for, which the
// details have to show.
func (a *Asker) heading(q *question.Question) (rest []string) {
	width, height := a.Size()
	text := q.Title()
	switch q.Kind {
	case question.Input:
		text = q.Heading
	case question.Confirmation:
		text = timeline.OneLine(text, 4*width)
	}
	rows := headed(text, width)
	if n := room(height); len(rows) > n && q.Kind != question.Confirmation {
		rows, rest = rows[:1], rows[1:]
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(a.Look.Bold(row) + "\n")
	}
	_, _ = io.WriteString(a, "\n"+b.String())
	return rest
}

// list prints texts with their numbers.
func (a *Asker) list(texts []string) {
	width, _ := a.Size()
	var b strings.Builder
	for i, c := range texts {
		number := numbered(i + 1)
		for n, row := range timeline.Wrap(c, width-len(numbered(i+1))) {
			if n > 0 {
				number = strings.Repeat(" ", len(numbered(i+1))-len(Mark)) + terminal.Margin
			}
			b.WriteString(a.Look.Cyan(number) + row + "\n")
		}
	}
	_, _ = io.WriteString(a, b.String())
}

// numbered is the beginning of a row with a number.
func numbered(n int) string { return fmt.Sprintf("%3d  ", n) }

func (a *Asker) remark(text string) {
	width, _ := a.Size()
	for row := range strings.SplitSeq(terminal.Labelled(text, width), "\n") {
		_, _ = io.WriteString(a, a.Look.Yellow(row)+"\n")
	}
}

// Withdrawn prints that the question no longer needs an answer.
func (a *Asker) Withdrawn() { a.remark("the question no longer needs an answer") }
