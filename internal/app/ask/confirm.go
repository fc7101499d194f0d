package ask

import (
	"context"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// TypedMessageError carries the message that the user has typed without confirming or
// denying.
type TypedMessageError struct{ Text string }

func (TypedMessageError) Error() string { return "the user has written a message instead of an answer" }

// Confirm asks for the confirmation that an agent wants. host is the host of the agent,
// "" if it is not known. Errors are those of [Asker.Permission], and a [TypedMessageError].
func (a *Asker) Confirm(ctx context.Context, host, title, message string) (permit.Answer, error) {
	a.Discard()
	width, rows := a.Size()
	s := a.layout()
	for line := range strings.Lines(strings.TrimSpace(timeline.Harmless(message))) {
		for _, row := range timeline.Wrap(strings.TrimRight(line, "\n"), width-2) {
			s.add("  " + row)
		}
	}
	asks := "The agent asks: "
	if host != "" {
		asks = timeline.OneLine(host, width/2) + " asks: "
	}
	a.question(asks + timeline.OneLine(title, 3*width))
	d := a.details(s.rows, width, rows)
	_, _ = io.WriteString(a, d.preview())
	for {
		options := "[y] yes  [n] no  [s] say something else  [q] stop the run"
		if d.long() {
			options += "  [v] view all of it"
		}
		_, _ = io.WriteString(a, options+"\n")
		answer, rest, err := a.choice(ctx, "confirm? › ")
		if err != nil {
			return permit.Answer{}, err
		}
		switch answer {
		case "y", "yes":
			if d.read() {
				return permit.Answer{Outcome: permit.Approved}, nil
			}
		case "n", "no":
			return permit.Answer{Outcome: permit.Rejected}, nil
		case "q", "quit", "abort":
			return permit.Answer{}, cli.ErrAborted
		case "s", "say":
			if rest == "" {
				if rest, err = a.ReadLine(ctx, "instead › ", a.Look.Bold); err != nil {
					return permit.Answer{}, err
				}
			}
			if rest = strings.TrimSpace(rest); rest != "" {
				return permit.Answer{}, TypedMessageError{rest}
			}
		case "v", "view":
			d.view()
		}
	}
}
