package initcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// say writes a sentence, broken into lines.
func (g *guide) say(format string, args ...any) { g.row("", fmt.Sprintf(format, args...)) }

// row writes a text after a prefix, in lines that the terminal has room for; those after the first
// are indented by the prefix.
func (g *guide) row(prefix, text string) {
	width, _ := g.tty.Size()
	indent := strings.Repeat(" ", timeline.Width(prefix))
	var b strings.Builder
	for i, line := range timeline.Wrap(timeline.Harmless(text), max(width-len(indent)-1, promptWidth/2)) {
		if i > 0 {
			prefix = indent
		}
		b.WriteString(prefix + line + "\n")
	}
	_, _ = io.WriteString(g.tty, b.String()) // the next question fails if the terminal has gone
}

// promptWidth is the widest question that stands on the line of its answer, in columns.
const promptWidth = 40

// line asks for a line. Ctrl-C and Ctrl-D end the command.
func (g *guide) line(ctx context.Context, question string) (string, error) {
	if timeline.Width(question) > promptWidth { // the terminal cuts a prompt that leaves no room
		g.say("%s", question)
		question = "›"
	}
	g.tty.Discard()
	answer, err := g.tty.ReadLine(ctx, question+" ", nil)
	switch {
	case err == nil:
		return strings.TrimSpace(answer), nil
	case ctx.Err() != nil, errors.Is(err, terminal.ErrInterrupted), errors.Is(err, io.EOF):
		return "", cli.ErrAborted
	}
	return "", err
}

// number asks for a number from 1 to most. An empty answer is the suggested one.
func (g *guide) number(ctx context.Context, question string, most, suggested int) (int, error) {
	for {
		answer, err := g.line(ctx, fmt.Sprintf("%s [%d]", question, suggested))
		if err != nil || answer == "" {
			return suggested, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= most {
			return n, nil
		}
		g.say("Type a number from 1 to %d.", most)
	}
}

// agree asks a question that is answered with yes or no. An empty answer is the suggested one.
func (g *guide) agree(ctx context.Context, question string, suggested bool) (bool, error) {
	choice := "[y/N]"
	if suggested {
		choice = "[Y/n]"
	}
	for {
		answer, err := g.line(ctx, question+" "+choice)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "":
			return suggested, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
		g.say("Type y or n.")
	}
}
