package ask

import (
	"cmp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// command adds what the user needs to know about a command: where it would run, what its first
// run has printed, all of its text, and what it would reach.
func (a *Asker) command(s *layout, q timeline.Request, cwd string, o approval.Offer) {
	if o.Input {
		s.note("runs", "a program that is running reads it; what the program then does is not known", a.Look.Yellow)
	} else {
		a.place(s, o.Placed)
	}
	s.exact("in", cmp.Or(q.Cwd, cwd), a.Look.Dim)
	if title := timeline.ExposedLine(q.Command, s.width); title != q.Command || timeline.Width(question(q, cwd, o)) > s.width {
		s.code(q.Command, nil) // otherwise the heading shows all of it
	}
	a.printed(s, q.Printed)
	if touched := strings.Join(outside(q.Paths, cmp.Or(q.Cwd, cwd)), ", "); !strings.Contains(o.Placed.Because, touched) {
		s.exact("touches", touched, nil)
	}
	s.exact("talks to", strings.Join(q.Hosts(), ", "), nil)
	if q.Redirects {
		s.note("writes", "its output goes to a file", nil)
	}
}

// printedLines is how many lines of the output of a first run are shown, its last.
const printedLines = 5

// printed adds the end of the output of a first run.
func (a *Asker) printed(s *layout, text string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if lines[0] == "" {
		return
	}
	s.add("  " + "the first run printed:")
	s.code(strings.Join(lines[max(len(lines)-printedLines, 0):], "\n"), a.Look.Dim)
}

// place says where a command would run. It says nothing if the sandbox is no part of the
// session.
func (a *Asker) place(s *layout, p permit.Placed) {
	switch {
	case p.Because != "":
		s.note("runs", "OUTSIDE the sandbox: "+p.Because, a.Look.Yellow)
	case p.Place == permit.InWorkspaceGit:
		s.note("runs", "in the sandbox (workspace-write, and git may write to .git)", nil)
	case p.Place != permit.Outside:
		s.note("runs", "in the sandbox ("+p.Place.String()+")", nil)
	}
}
