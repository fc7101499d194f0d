package chat

import (
	"context"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// The lines of the last exchange that are printed when a session is continued.
const (
	askedLines    = 5
	answeredLines = 12
)

// recap prints the last exchange of the session that is continued, and what was interrupted.
func (c *chatter) recap(ctx context.Context) error {
	s := c.talk.client.Session()
	r, err := operate.Recap(ctx, s)
	if err != nil || r.Asked.Kind == "" {
		return err
	}
	if r.Earlier > 0 {
		c.print(c.look.Dim(fmt.Sprintf("… %s before: sidestick sessions show %s", count(r.Earlier, "message"), cli.IDArgument(s.ID()))) + "\n")
	}
	width, _ := c.out.Size()
	c.quote("you: ", r.Asked.Body, askedLines, false, width)
	c.quote("agent: ", r.Answer.Body, answeredLines, true, width)
	working, err := s.Working(ctx)
	if what := r.Interrupted(); what != "" && !working && err == nil {
		c.print(c.look.Yellow("interrupted: ") + timeline.OneLine(what, max(width-13, 20)) + "\n")
	}
	return err
}

// quote prints the first or the last lines of a text, dim, under a label.
func (c *chatter) quote(label, text string, most int, end bool, width int) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	rows := strings.Split(terminal.LabelledProse(label+text, width), "\n")
	if len(rows) > most && end {
		rows = append([]string{label + "…"}, rows[len(rows)-most:]...)
	} else if len(rows) > most {
		rows = append(rows[:most], "…")
	}
	for _, row := range rows {
		c.print(c.look.Dim(row) + "\n")
	}
}
