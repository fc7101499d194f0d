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
func (g *guide) say(format string, args ...any) {
	g.text(cli.Indented("", fmt.Sprintf(format, args...)))
}

func (g *guide) text(text string) {
	_, _ = io.WriteString(g.tty, timeline.Harmless(text)) // the next question fails if the terminal has gone
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
