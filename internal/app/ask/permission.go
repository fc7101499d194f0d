package ask

import (
	"context"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Permission prints the permission prompt and reads the answer. q is what the tool asks
// for, cwd the folder that paths are shortened against, and o what an approval can cover
// beyond this call. Errors are those of [terminal.TTY.ReadLine], and [cli.ErrAborted] if
// the user stops the run.
func (a *Asker) Permission(ctx context.Context, q timeline.Request, cwd string, o approval.Offer) (permit.Answer, error) {
	a.Discard()
	width, rows := a.Size()
	asks := question.OfPermission(q, cwd, o)
	heading := headed(asks.Heading, width)
	s := a.layout(asks, len(heading), len(heading) > maxHeading)
	scope := grants(asks)
	if timeline.Width(always1+scope) > width-4 && !a.Numbered { // the option has no room for it
		s.note("a and l allow", scope, nil)
		scope = "all of what a and l allow above"
	}
	d := a.details(s.rows, width, rows)
	_, _ = io.WriteString(a, a.request(heading, width)+d.preview())
	answer, err := a.answer(ctx, asking{
		q: asks, d: d, options: func() { a.options(asks, width, scope, d.long()) }, prompt: "allow? › ",
	})
	return answer.Permit, err
}

// grants is what the answers of a question allow beyond the one call, "" for nothing. All of them
// that allow more allow the same, for different sessions.
func grants(q *question.Question) string {
	for _, o := range q.Options {
		if o.Grants != "" {
			return o.Grants
		}
	}
	return ""
}

// Saved prints that an approval for a location is stored.
func (a *Asker) Saved(location string) {
	width, _ := a.Size()
	_, _ = io.WriteString(a, a.Look.Dim(timeline.OneLine("saved for "+location, width))+"\n")
}

// NotSaved prints that an approval for a location could not be stored, and holds for this
// session.
func (a *Asker) NotSaved(why error) {
	a.remark("the approval holds in this session only; it was not saved: " + cli.Message(why))
}

// always1 begins the option of an approval for the session.
const always1 = "yes, for this session: "

// options prints the answers that the user can give. scope is what the option for the session
// allows. more adds the answer that shows the whole request.
func (a *Asker) options(q *question.Question, width int, scope string, more bool) {
	if a.Numbered {
		a.numbers(q, scope, more)
		return
	}
	list := q.Options
	if more {
		list = append(list[:len(list):len(list)], question.Option{Key: "v", Text: "view all of it"})
	}
	var b strings.Builder
	used := 0
	for i, o := range list {
		text := o.Text
		if o.Key == "a" {
			text = always1 + scope
		}
		text = timeline.Cut(text, max(width-5, 10))
		n := 4 + timeline.Width(text)
		switch {
		case i == 0:
		case used+2+n > width:
			b.WriteString("\n")
			used = 0
		default:
			b.WriteString("  ")
			used += 2
		}
		b.WriteString(a.Look.Bold("["+o.Key+"]") + " " + text)
		used += n
	}
	_, _ = io.WriteString(a, b.String()+"\n")
}

// maxHeading bounds the request itself, in rows. The details below it show all of a longer one.
const maxHeading = 4

// request is what would be done, in rows of the screen.
func (a *Asker) request(rows []string, width int) string {
	if len(rows) > maxHeading {
		rows = append(rows[:maxHeading-1:maxHeading-1], timeline.Cut(rows[maxHeading-1], width-1)+"…")
	}
	return "\n" + a.Look.Bold(strings.Join(rows, "\n")) + "\n"
}
