package ask

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Permission prints the permission prompt and reads the answer. q is what the tool asks
// for, cwd the folder that paths are shortened against, and o what an approval can cover
// beyond this call. Errors are those of [terminal.TTY.ReadLine], and [cli.ErrAborted] if
// the user stops the run.
func (a *Asker) Permission(ctx context.Context, q timeline.Request, cwd string, o approval.Offer) (permit.Answer, error) {
	a.Discard()
	body := a.about(q, cwd)
	width, rows := a.Size()
	_, _ = io.WriteString(a, a.heading(q.Title(cwd), width)+preview(body, width, rows))
	if q.SessionApproval != nil && !*q.SessionApproval {
		o.Rules = nil
	}
	for {
		a.options(width, granting(o), len(body) > room(rows))
		answer, rest, err := a.choice(ctx, "allow? › ")
		if err != nil {
			return permit.Answer{}, err
		}
		switch answer {
		case "y", "yes", "once":
			return permit.Answer{Outcome: permit.Approved}, nil
		case "a", "always", "l", "location":
			if len(o.Rules) > 0 {
				return always(answer[0] == 'l', o), nil
			}
			a.remark("this request can only be approved once")
		case "n", "no":
			return a.refusal(ctx, rest)
		case "q", "quit", "abort":
			return permit.Answer{}, cli.ErrAborted
		case "v", "view":
			_, _ = io.WriteString(a, strings.Join(body[:min(len(body), maxView)], "\n")+"\n")
		}
	}
}

// always is an approval that also covers later calls: in this session, or in every
// session of this location.
func always(here bool, o approval.Offer) permit.Answer {
	if !here {
		return permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession, Rules: o.Rules}
	}
	return permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation, Rules: o.Rules, Location: o.Location.LocationKey}
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

// maxView bounds what "view" prints, in rows.
const maxView = 20_000

// options prints the answers that the user can give. scope is what "always" allows; ""
// leaves those answers out. more adds the answer that shows the whole request.
func (a *Asker) options(width int, scope string, more bool) {
	type option struct{ key, text string }
	list := []option{{"y", "yes, once"}}
	if scope != "" {
		list = append(list, option{"a", "yes, for this session: " + scope}, option{"l", "yes, in every session here"})
	}
	list = append(list, option{"n", "no, and say why"}, option{"q", "stop the run"})
	if more {
		list = append(list, option{"v", "view all of it"})
	}
	var b strings.Builder
	used := 0
	for i, o := range list {
		text := timeline.Cut(o.text, max(width-5, 10))
		n := 4 + timeline.Width(text)
		switch {
		case i == 0:
		case used+n > width:
			b.WriteString("\n")
			used = 0
		default:
			b.WriteString("  ")
			used += 2
		}
		b.WriteString(a.Look.Bold("["+o.key+"]") + " " + text)
		used += n
	}
	_, _ = io.WriteString(a, b.String()+"\n")
}

// heading is the question itself, in at most four rows.
func (a *Asker) heading(title string, width int) string {
	rows := timeline.Wrap("Allow: "+title, width)
	if len(rows) > 4 {
		rows = append(rows[:3], timeline.Cut(rows[3], width-1)+"…")
	}
	return "\n" + a.Look.Bold(strings.Join(rows, "\n")) + "\n"
}

// about is what the user needs to know to decide, in rows of the screen.
func (a *Asker) about(q timeline.Request, cwd string) []string {
	width, _ := a.Size()
	s := a.layout()
	if file := cmp.Or(q.FileName, q.Path); file == "" || !strings.Contains(q.Intention, file) {
		s.note("for", q.Intention, a.Look.Dim)
	}
	s.note("asked because", q.Warning, a.Look.Yellow) // above the details, which can be long enough to hide it
	switch q.Kind {
	case "shell":
		s.note("in", cmp.Or(q.Cwd, cwd), a.Look.Dim)
		if title := timeline.OneLine(q.Command, width); title != q.Command || timeline.Width(q.Title(cwd)) > width-len("Allow: ") {
			s.code(q.Command, nil) // otherwise the heading shows all of it
		}
		s.note("touches", strings.Join(outside(q.Paths, cmp.Or(q.Cwd, cwd)), ", "), nil)
		s.note("talks to", strings.Join(q.Hosts(), ", "), nil)
		if q.Redirects {
			s.note("writes", "its output goes to a file", nil)
		}
	case "write":
		s.note("file", q.FileName, a.Look.Dim)
		s.change(q)
	case "read":
		s.note("file", q.Path, nil)
	case "url":
		s.note("address", q.URL, nil)
		s.note("from", q.RedirectedFrom, a.Look.Yellow)
	default:
		s.note("does", q.Description, a.Look.Dim)
		if timeline.Width(q.Title(cwd)) > width-len("Allow: ") { // otherwise the heading shows them
			s.code(indented(q.Args), nil)
		}
	}
	return s.rows
}
