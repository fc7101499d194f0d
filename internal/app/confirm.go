package app

import (
	"context"
	"io"
	"net/url"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// insteadError is what a person says in place of a yes or a no.
type insteadError struct{ text string }

func (insteadError) Error() string { return "something else was said" }

// confirm asks for the yes or the no that an agent wants; host is where it is. Errors
// are those of [asker.permission], and an insteadError.
func (a *asker) confirm(ctx context.Context, host, title, message string) (permit.Answer, error) {
	a.Discard()
	width, rows := a.Size()
	s := &sheet{width: width, look: a.look}
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
	_, _ = io.WriteString(a, preview(s.rows, width, rows))
	for {
		options := "[y] yes  [n] no  [s] say something else  [q] stop the run"
		if len(s.rows) > room(rows) {
			options += "  [v] view all of it"
		}
		_, _ = io.WriteString(a, options+"\n")
		answer, rest, err := a.choice(ctx, "confirm? › ")
		if err != nil {
			return permit.Answer{}, err
		}
		switch answer {
		case "y", "yes":
			return permit.Answer{Outcome: permit.Approved}, nil
		case "n", "no":
			return permit.Answer{Outcome: permit.Rejected}, nil
		case "q", "quit", "abort":
			return permit.Answer{}, errAborted
		case "s", "say":
			if rest == "" {
				if rest, err = a.ReadLine(ctx, "instead › ", a.look.Bold); err != nil {
					return permit.Answer{}, err
				}
			}
			if rest = strings.TrimSpace(rest); rest != "" {
				return permit.Answer{}, insteadError{rest}
			}
		case "v", "view":
			_, _ = io.WriteString(a, strings.Join(s.rows, "\n")+"\n")
		}
	}
}

// host is where the agent is that the session's model is; "" if that is none.
func (t *talk) host() string {
	name, _, err := t.client.Session().Settings().Model(context.Background())
	address, _ := extensions.Address(name)
	u, parseErr := url.Parse(address)
	if err != nil || parseErr != nil {
		return ""
	}
	return u.Host
}

// sayInstead sends what a person has said in place of an answer. The session takes
// the question back, and goes on with this.
func (t *talk) sayInstead(ctx context.Context, text string) error {
	_, err := t.client.Session().Send(context.WithoutCancel(ctx), wire.Send{Prompt: text})
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session has gone; its last events say so
	}
	return err
}
