package ask

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/terminal"
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
}

// yeses are the answers that allow something.
var yeses = []string{"y", "yes", "once", "a", "always", "l", "location"}

// choice reads an answer: its first word in lower case, and the rest. A yes with more
// text behind it allows nothing, because "yes, but not that file" is no approval.
func (a *Asker) choice(ctx context.Context, prompt string) (word, rest string, err error) {
	line, err := a.ReadLine(ctx, prompt, a.Look.Bold)
	if err != nil {
		return "", "", err
	}
	word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	word, rest = strings.ToLower(strings.TrimRight(word, ",:;")), strings.TrimSpace(rest)
	if rest != "" && slices.Contains(yeses, word) {
		a.remark("nothing was approved: a yes must be the only word")
		word = ""
	}
	return word, rest, nil
}

// refusal is a denial, with what the model should do instead. It asks for the reason if
// why is "".
func (a *Asker) refusal(ctx context.Context, why string) (permit.Answer, error) {
	if why == "" {
		line, err := a.ReadLine(ctx, "why, or what instead? (Enter: no reason) › ", a.Look.Bold)
		if err != nil {
			return permit.Answer{}, err
		}
		why = strings.TrimSpace(line)
	}
	return permit.Answer{Outcome: permit.Rejected, Feedback: why}, nil
}

func (a *Asker) remark(text string) { _, _ = io.WriteString(a, a.Look.Yellow(text)+"\n") }

// Withdrawn prints that the question no longer needs an answer.
func (a *Asker) Withdrawn() { a.remark("the question no longer needs an answer") }
