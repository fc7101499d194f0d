package chat

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// suggestion prints which flags would have allowed the requests that were denied because nobody
// is asked, or why no flag would. why says why nobody is. r are the rules in force, and b is the sandbox. Several requests have one
// hint with a line for each.
func suggestion(o *cli.Options, why string, list []timeline.Request, r permit.Rules, b permit.Sandboxing) {
	if len(list) == 1 {
		what := timeline.Cut(list[0].Title(r.Folders.Primary), 2*terminal.Columns)
		_ = cli.Print(o.Sys.Stderr, "hint: denied: "+what+"; "+why+"; "+allowing(list[0], r, b).text(terminal.Is(o.Sys.Stderr))+"\n")
		return
	}
	_ = cli.Printf(o.Sys.Stderr, "hint: %d more calls were denied; %s:\n%s", len(list), why, strings.Join(hintLines(list, r, b, terminal.Is(o.Sys.Stderr)), ""))
}

// maxHints bounds the lines of one hint.
const maxHints = 12

// hintLines says for each request which flags would allow it; those that need the same flags
// have one line.
func hintLines(list []timeline.Request, r permit.Rules, b permit.Sandboxing, rows bool) (lines []string) {
	said := map[string]bool{}
	for _, q := range list {
		flags := allowing(q, r, b).text(rows)
		if said[flags] {
			continue
		}
		if said[flags] = true; len(lines) == maxHints {
			return append(lines, "  …\n")
		}
		lines = append(lines, "  "+timeline.Cut(q.Title(r.Folders.Primary), terminal.Columns/2)+": "+flags+"\n")
	}
	return lines
}

// allowance is the flags that would allow a request, and what is to be said after them.
type allowance struct {
	flags []string
	says  string
}

// String is the allowance in words.
func (a allowance) String() string {
	if len(a.flags) == 0 {
		return a.says
	}
	return strings.Join(a.flags, " ") + a.says
}

// text is [allowance.String] for a screen. With rows, for a terminal, each flag has a row of its own, so that it is
// copied without the line feeds of rows that are broken; the rows are one command in a shell. A value of the model
// that has line feeds stays in its row.
func (a allowance) text(rows bool) string {
	if len(a.flags) == 0 || !rows {
		return timeline.ExposedPath(a.String())
	}
	flags := make([]string, len(a.flags))
	for i, flag := range a.flags {
		flags[i] = timeline.ExposedPath(flag)
	}
	return "\n" + terminal.Indent + strings.Join(flags, " \\\n"+terminal.Indent) + "\n " + timeline.ExposedPath(a.says)
}

// allowing says which flags would allow a request.
func allowing(q timeline.Request, r permit.Rules, b permit.Sandboxing) allowance {
	if q.Personal {
		return allowance{says: "only the user can confirm this; no flag can"}
	}
	asked := judged(q)
	noSandbox := strings.HasPrefix(q.Warning, permit.UnsafeToRead)
	tried := strings.HasPrefix(q.Warning, permit.Tried) // what it has done is no reason why rules would not allow it
	if now := r.Decide(asked); !noSandbox && !tried && q.Warning != "" && q.Warning != now.Why {
		return allowance{says: onlyAll(q.Warning, false)} // it depends on the shell that the command was to run in
	}
	r.ReadOnly = r.ReadOnly && !q.Leaves // outside the sandbox, a program that only reads needs a rule, too
	m := r.Missing(asked, folderOf)
	var flags []string
	for _, dir := range m.Folders {
		flags = append(flags, "--add-dir "+cli.ShellWord(dir))
	}
	for _, rule := range m.Rules {
		flags = append(flags, "--allow-tool "+cli.ShellWord(rule.String()))
	}
	if q.Leaves && len(m.Folders) == 0 {
		flags = append(flags, excluding(asked.Command)...)
	}
	also, inside := "", staysInside(asked, r, b)
	switch {
	case noSandbox:
		also = " (" + q.Warning + ")"
	case len(m.Folders) > 0:
		also = " (--add-dir also allows changing the files there)"
	}
	all := "; --allow-all allows everything" + also
	if inside {
		all = "; --sandbox-auto-allow allows all that stays in the sandbox" + all
	}
	switch {
	case m.OnlyUser && heldBySandbox(asked, r, b):
		return allowance{says: "no rule allows this, only --sandbox together with --allow-all does, because the sandbox holds the command to what is denied: " + m.Why}
	case m.OnlyUser:
		return allowance{says: "no flag allows this: " + m.Why}
	case m.Why != "":
		return allowance{says: onlyAll(m.Why, inside)}
	case len(flags) == 0:
		return allowance{says: "--allow-all allows everything"}
	case len(flags) == 1:
		return allowance{flags, " allows this" + all}
	}
	return allowance{flags, " together allow this" + all}
}

// excluding returns the flags that let a command run outside the sandbox.
func excluding(c permit.Command) (flags []string) {
	for _, p := range c.Programs {
		rule := permit.Rule{Kind: permit.Shell, Argument: p.Name + ":*"}
		if flag := "--sandbox-exclude " + cli.ShellWord(rule.String()); p.Name != "cd" && !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return flags
}

// staysInside reports whether --sandbox-auto-allow would allow a command.
func staysInside(q permit.Request, r permit.Rules, b permit.Sandboxing) bool {
	if q.Kind != permit.Shell || !b.On || b.AutoAllow {
		return false
	}
	b.AutoAllow = true
	p := r.DecideIn(b, q)
	return p.Verdict == permit.Allow && p.Place != permit.Outside
}

// heldBySandbox reports whether everything could be allowed if commands stayed in the sandbox, which settles what a
// command may open although a rule denies it.
func heldBySandbox(q permit.Request, r permit.Rules, b permit.Sandboxing) bool {
	if q.Kind != permit.Shell || !b.On || b.Explicit {
		return false
	}
	r.All, b.Explicit = true, true
	p := r.DecideIn(b, q)
	return p.Verdict == permit.Allow && p.Place != permit.Outside
}

// onlyAll says that no rule allows a request. inside means that --sandbox-auto-allow does.
func onlyAll(why string, inside bool) string {
	if inside {
		return "no rule allows this, only --allow-all or --sandbox-auto-allow does: " + why
	}
	return "no rule allows this, only --allow-all does: " + why
}

// judged is the request as the rules judge it.
func judged(q timeline.Request) permit.Request {
	asked := permit.Request{Kind: permit.Kind(q.Kind), Tool: q.ToolName, Address: q.URL}
	switch asked.Kind {
	case permit.MCP:
		asked.Tool, asked.Server, asked.ServerTool = "", q.ServerName, q.ToolName
	case permit.Shell:
		asked.Command = wiring.Understand(q.Command, q.Cwd)
	case permit.Write:
		asked.Path = permit.Path{Name: q.FileName, Real: effects.RealPath(q.FileName)}
	case permit.Read:
		asked.Path = permit.Path{Name: q.Path, Real: effects.RealPath(q.Path)}
	}
	return asked
}

// folderOf returns the nearest folder at or above a path that exists. It is never the root:
// --allow-all-paths is the flag for that.
func folderOf(path string) string {
	for ; filepath.Dir(path) != path; path = filepath.Dir(path) {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
	}
	return ""
}

// hint prints what a run has used and how to continue, if stderr is a terminal. id returns the
// shortened id of the session.
func hint(o *cli.Options, id func() string, took spending) {
	if terminal.Is(o.Sys.Stderr) {
		look := terminal.PaintFor(o.Sys.Stderr, o.Sys.Getenv)
		if took.turns > 0 {
			_ = cli.Print(o.Sys.Stderr, look.Dim("\n"+took.String())+"\n")
		}
		_ = cli.Print(o.Sys.Stderr, look.Dim("to continue: sidestick run --resume "+cli.ShellWord(id())+` "..."`)+"\n")
	}
}
