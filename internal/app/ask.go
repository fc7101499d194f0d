package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// screen is what a question needs of a terminal; [terminal.TTY] is one.
type screen interface {
	io.Writer
	Size() (columns, rows int)
	Discard()
	ReadLine(ctx context.Context, prompt string, look func(string) string) (string, error)
}

var _ screen = (*terminal.TTY)(nil)

// asker asks the person at a terminal, one question at a time.
type asker struct {
	screen
	look terminal.Paint
}

// permission asks whether a tool may act; o is what a yes can cover beyond the call.
// Errors are those of [terminal.TTY.ReadLine], and [errAborted] for "quit".
func (a *asker) permission(ctx context.Context, q timeline.Request, cwd string, o approval.Offer) (permit.Answer, error) {
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
				return a.always(answer[0] == 'l', o), nil
			}
			a.remark("this one can only be allowed once")
		case "n", "no":
			return a.refusal(ctx, rest)
		case "q", "quit", "abort":
			return permit.Answer{}, errAborted
		case "v", "view":
			_, _ = io.WriteString(a, strings.Join(body[:min(len(body), maxView)], "\n")+"\n")
		}
	}
}

// always is a yes that holds on: in this session, or in every one here.
func (a *asker) always(here bool, o approval.Offer) permit.Answer {
	if !here {
		return permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession, Rules: o.Rules}
	}
	width, _ := a.Size()
	_, _ = io.WriteString(a, a.look.Dim(timeline.OneLine("kept for "+o.Location.LocationKey, width))+"\n")
	return permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation, Rules: o.Rules, Location: o.Location.LocationKey}
}

// maxView bounds what "view" prints, in rows.
const maxView = 20_000

// options prints the answers there are.
func (a *asker) options(width int, scope string, more bool) {
	type option struct{ key, text string }
	list := []option{{"y", "yes, once"}}
	if scope != "" {
		list = append(list, option{"a", "always in this session: " + scope}, option{"l", "the same in every session here"})
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
		b.WriteString(a.look.Bold("["+o.key+"]") + " " + text)
		used += n
	}
	_, _ = io.WriteString(a, b.String()+"\n")
}

// yeses are the answers that allow something.
var yeses = []string{"y", "yes", "once", "a", "always", "l", "location"}

// choice reads an answer: its first word in lower case, and the rest. A yes that goes
// on is none: "yes, but not that file" must not be taken for one.
func (a *asker) choice(ctx context.Context, prompt string) (word, rest string, err error) {
	line, err := a.ReadLine(ctx, prompt, a.look.Bold)
	if err != nil {
		return "", "", err
	}
	word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
	word, rest = strings.ToLower(strings.TrimRight(word, ",:;")), strings.TrimSpace(rest)
	if rest != "" && slices.Contains(yeses, word) {
		a.remark("nothing was allowed: a yes stands alone")
		word = ""
	}
	return word, rest, nil
}

// refusal is a no, with what the model should do instead.
func (a *asker) refusal(ctx context.Context, why string) (permit.Answer, error) {
	if why == "" {
		line, err := a.ReadLine(ctx, "why, or what instead? (Enter: no reason) › ", a.look.Bold)
		if err != nil {
			return permit.Answer{}, err
		}
		why = strings.TrimSpace(line)
	}
	return permit.Answer{Outcome: permit.Rejected, Feedback: why}, nil
}

func (a *asker) remark(text string) { _, _ = io.WriteString(a, a.look.Yellow(text)+"\n") }

// withdrawn says that a question needs no answer any more.
func (a *asker) withdrawn() { a.remark("the question needs no answer any more") }

// heading is the question itself, in as many rows as it needs, at most four.
func (a *asker) heading(title string, width int) string {
	rows := timeline.Wrap("Allow: "+title, width)
	if len(rows) > 4 {
		rows = append(rows[:3], timeline.Cut(rows[3], width-1)+"…")
	}
	return "\n" + a.look.Bold(strings.Join(rows, "\n")) + "\n"
}

// about is what a person has to know to decide, in rows of the screen.
func (a *asker) about(q timeline.Request, cwd string) []string {
	width, _ := a.Size()
	s := &sheet{width: width, look: a.look}
	if file := cmp.Or(q.FileName, q.Path); file == "" || !strings.Contains(q.Intention, file) {
		s.note("for", q.Intention, a.look.Dim)
	}
	s.note("asked because", q.Warning, a.look.Yellow) // before what can be long enough to push it away
	switch q.Kind {
	case "shell":
		s.note("in", cmp.Or(q.Cwd, cwd), a.look.Dim)
		if title := timeline.OneLine(q.Command, width); title != q.Command || timeline.Width(q.Title(cwd)) > width-len("Allow: ") {
			s.code(q.Command, nil) // else all of it stands in the question
		}
		s.note("touches", strings.Join(outside(q.Paths, cmp.Or(q.Cwd, cwd)), ", "), nil)
		s.note("talks to", strings.Join(q.Hosts(), ", "), nil)
		if q.Redirects {
			s.note("writes", "its output goes to a file", nil)
		}
	case "write":
		s.note("file", q.FileName, a.look.Dim)
		s.change(q)
	case "read":
		s.note("file", q.Path, nil)
	case "url":
		s.note("address", q.URL, nil)
		s.note("from", q.RedirectedFrom, a.look.Yellow)
	default:
		s.note("does", q.Description, a.look.Dim)
		if timeline.Width(q.Title(cwd)) > width-len("Allow: ") { // else they are all in there
			s.code(indented(q.Args), nil)
		}
	}
	return s.rows
}

// room is how many rows a question may show without being asked for all of it: what
// is asked, the answers and the prompt stay on the screen.
func room(rows int) int { return max(rows-9, 3) }

// preview is as much of it as the screen has room for.
func preview(body []string, width, rows int) string {
	shown := body
	if n := room(rows); len(body) > n {
		shown = append(body[:n-1:n-1], timeline.Cut(fmt.Sprintf("… %s more lines, v to view", timeline.Count(int64(len(body)-n+1))), width))
	}
	if len(shown) == 0 {
		return ""
	}
	return strings.Join(shown, "\n") + "\n"
}
