package question

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// command adds what the user needs to know about a command: where it would run, what its first
// run has printed, all of its text, and what it would reach.
func (out *Question) command(q timeline.Request, cwd string, o approval.Offer) {
	if o.Input {
		out.note("runs", "a program that is running reads it; what the program then does is not known", Caution)
	} else {
		out.place(o.Placed)
	}
	out.exact("in", cmp.Or(q.Cwd, cwd), Quiet)
	all := Detail{Shape: Command, Text: q.Command}
	if strings.HasSuffix(out.Heading, q.Command) && timeline.ExposedLine(q.Command, len(q.Command)) == q.Command {
		all.When = IfWrapped // otherwise the heading shows all of it
	}
	out.add(all)
	out.add(Detail{Shape: Output, Name: "the first run printed", Text: lastLines(q.Printed), Tone: Quiet})
	if touched := strings.Join(outside(q.Paths, cmp.Or(q.Cwd, cwd)), ", "); !strings.Contains(o.Placed.Because, touched) {
		out.exact("touches", touched, Normal)
	}
	out.exact("talks to", strings.Join(q.Hosts(), ", "), Normal)
	if q.Redirects {
		out.note("writes", "its output goes to a file", Normal)
	}
}

// printedLines is how many lines of the output of a first run are shown, its last.
const printedLines = 5

// lastLines is the end of the output of a first run.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if more := len(lines) - printedLines; more > 1 {
		lines = append([]string{fmt.Sprintf("… %d lines before", more)}, lines[more:]...)
	}
	return strings.Join(lines, "\n")
}

// place says where a command would run. It says nothing if the sandbox is no part of the
// session.
func (out *Question) place(p permit.Placed) {
	switch {
	case p.Because != "":
		out.note("runs", "OUTSIDE the sandbox: "+p.Because, Caution)
	case p.Place == permit.InWorkspaceGit:
		out.note("runs", "in the sandbox (workspace-write, and git may write to .git)", Normal)
	case p.Place != permit.Outside:
		out.note("runs", "in the sandbox ("+p.Place.String()+")", Normal)
	}
}

// outside is the paths that are not below cwd.
func outside(paths []string, cwd string) []string {
	var out []string
	for _, p := range paths {
		if short := timeline.RelativePath(p, cwd); filepath.IsAbs(short) || short == ".." || strings.HasPrefix(short, "../") {
			out = append(out, short)
		}
	}
	return out
}
