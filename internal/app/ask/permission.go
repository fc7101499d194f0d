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
	if q.SessionApproval != nil && !*q.SessionApproval {
		o.Rules = nil
	}
	width, rows := a.Size()
	scope := granting(o)
	s := a.about(q, cwd, o)
	if timeline.Width(always1+scope) > width-4 { // the option has no room for it
		s.note("a and l allow", scope, nil)
		scope = "all of what a and l allow above"
	}
	d := a.details(s.rows, width, rows)
	_, _ = io.WriteString(a, a.heading(question(q, cwd, o), width)+d.preview())
	for {
		a.options(width, scope, o, d.long())
		answer, rest, err := a.choice(ctx, "allow? › ")
		if err != nil {
			return permit.Answer{}, err
		}
		switch answer {
		case "y", "yes", "once":
			if d.read() {
				return permit.Answer{Outcome: permit.Approved}, nil
			}
		case "a", "always", "l", "location":
			switch {
			case len(o.Rules) == 0:
				a.remark("this request can only be approved once")
			case d.read():
				return always(answer[0] == 'l', o), nil
			}
		case "s", "sandbox":
			switch {
			case !o.Placed.AutoAllowable:
				a.remark("nothing was approved: s allows only commands that stay in the sandbox, and is not offered for this request")
			case rest != "":
				a.remark("nothing was approved: a yes must be the only word")
			case d.read():
				return permit.Answer{Outcome: permit.Approved, InSandbox: true}, nil
			}
		case "n", "no":
			return a.refusal(ctx, rest)
		case "q", "quit", "abort":
			return permit.Answer{}, cli.ErrAborted
		case "v", "view":
			d.view()
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

// always1 begins the option of an approval for the session.
const always1 = "yes, for this session: "

// options prints the answers that the user can give. scope is what "always" allows; ""
// leaves those answers out. more adds the answer that shows the whole request.
func (a *Asker) options(width int, scope string, o approval.Offer, more bool) {
	type option struct{ key, text string }
	list := []option{{"y", "yes, once"}}
	if o.Placed.AutoAllowable {
		list = append(list, option{"s", "yes, until you leave: everything that stays in the sandbox"})
	}
	if scope != "" {
		list = append(list, option{"a", always1 + scope}, option{"l", "yes, in every session here"})
	}
	no := "no, and say why"
	if o.Again {
		no = "no, and continue with the first result"
	}
	list = append(list, option{"n", no}, option{"q", "stop the run"})
	if more {
		list = append(list, option{"v", "view all of it"})
	}
	var b strings.Builder
	used := 0
	for i, choice := range list {
		text := timeline.Cut(choice.text, max(width-5, 10))
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
		b.WriteString(a.Look.Bold("["+choice.key+"]") + " " + text)
		used += n
	}
	_, _ = io.WriteString(a, b.String()+"\n")
}

// maxHeading bounds the question itself, in rows. The details below it show all of a longer one.
const maxHeading = 4

// question is what the user is asked to allow, in one line.
func question(q timeline.Request, cwd string, o approval.Offer) string {
	title := q.Title(cwd)
	switch {
	case o.Again:
		return "Run AGAIN, outside the sandbox: " + strings.TrimPrefix(title, "run ")
	case o.Input: // its tool has written the intention
		id := strings.TrimPrefix(q.Intention, "Type into the program in shell ")
		return "Allow: type into shell " + timeline.ExposedLine(id+": "+q.Command, headingColumns)
	}
	return "Allow: " + title
}

// headingColumns bounds what is typed in the question, in columns. The details show all of it.
const headingColumns = 200

// heading is the question itself in rows of the screen.
func (a *Asker) heading(text string, width int) string {
	rows := timeline.Wrap(text, width)
	if len(rows) > maxHeading {
		rows = append(rows[:maxHeading-1], timeline.Cut(rows[maxHeading-1], width-1)+"…")
	}
	return "\n" + a.Look.Bold(strings.Join(rows, "\n")) + "\n"
}

// about is what the user needs to know to decide, in rows of the screen.
func (a *Asker) about(q timeline.Request, cwd string, o approval.Offer) *layout {
	width, _ := a.Size()
	s := a.layout()
	if file := cmp.Or(q.FileName, q.Path); !o.Input && (file == "" || !strings.Contains(q.Intention, file)) {
		s.note("for", q.Intention, a.Look.Dim)
	}
	if q.Warning != o.Placed.Because && !o.Input { // otherwise the row about the sandbox says so
		s.note("asked because", q.Warning, a.Look.Yellow) // above the details, which can be long enough to hide it
	}
	switch q.Kind {
	case "shell":
		a.command(s, q, cwd, o)
	case "write":
		s.exact("file", q.FileName, a.Look.Dim)
		s.change(q)
	case "read":
		s.exact("file", q.Path, nil)
	case "url":
		s.exact("address", q.URL, nil)
		s.exact("from", q.RedirectedFrom, a.Look.Yellow)
	default:
		if title := q.Title(cwd); len(timeline.Wrap("Allow: "+title, width)) > maxHeading {
			s.exact("all of it", title, nil)
		}
		s.note("does", q.Description, a.Look.Dim)
		if timeline.Width(q.Title(cwd)) > width-len("Allow: ") { // otherwise the heading shows them
			s.code(indented(q.Args), nil)
		}
	}
	return s
}
