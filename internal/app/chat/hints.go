package chat

import (
	"fmt"
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

// suggestion prints which flags would have allowed a request that was denied because there
// is no terminal, or why no flag would. r are the rules in force.
func suggestion(o *cli.Options, q timeline.Request, r permit.Rules) {
	fmt.Fprintln(o.Sys.Stderr, "hint: there is no terminal to ask at; "+timeline.Exposed(allowing(q, r)))
}

// allowing says which flags would allow a request.
func allowing(q timeline.Request, r permit.Rules) string {
	if q.Personal {
		return "only the user can confirm this; no flag can"
	}
	asked := judged(q)
	noSandbox := strings.HasPrefix(q.Warning, permit.UnsafeToRead)
	if now := r.Decide(asked); !noSandbox && q.Warning != "" && q.Warning != now.Why {
		return onlyAll(q.Warning) // it depends on the shell that the command was to run in
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
	also := ""
	if noSandbox {
		also = " (" + q.Warning + ")"
	}
	switch {
	case m.OnlyUser:
		return "no flag allows this: " + m.Why
	case m.Why != "":
		return onlyAll(m.Why)
	case len(flags) == 0:
		return "--allow-all allows everything"
	case len(flags) == 1:
		return flags[0] + " allows this; --allow-all allows everything" + also
	}
	return strings.Join(flags, " ") + " together allow this; --allow-all allows everything" + also
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

func onlyAll(why string) string { return "no rule allows this, only --allow-all does: " + why }

// judged is the request as the rules judge it.
func judged(q timeline.Request) permit.Request {
	asked := permit.Request{Kind: permit.Kind(q.Kind), Tool: q.ToolName, Address: q.URL}
	switch asked.Kind {
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

// hint prints what a run has used and how to continue, if stderr is a terminal.
func hint(o *cli.Options, id string, took spending) {
	if terminal.Is(o.Sys.Stderr) {
		look := terminal.PaintFor(o.Sys.Stderr, o.Sys.Getenv)
		if took.turns > 0 {
			fmt.Fprintln(o.Sys.Stderr, look.Dim("\n"+took.String()))
		}
		fmt.Fprintln(o.Sys.Stderr, look.Dim("to continue: sidestick run --resume "+cli.ShellWord(id)+` "..."`))
	}
}
