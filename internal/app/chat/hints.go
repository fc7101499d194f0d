package chat

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// suggestion prints which flag would have allowed a request that was denied because there
// is no terminal.
func suggestion(o *cli.Options, q timeline.Request) {
	if q.Personal {
		fmt.Fprintln(o.Sys.Stderr, "hint: there is no terminal to ask at, and only the user can confirm this; no flag does")
		return
	}
	flag := "--allow-all allows everything"
	if f := allowing(q); f != "" {
		flag = f + " allows this, --allow-all everything"
	}
	fmt.Fprintln(o.Sys.Stderr, "hint: there is no terminal to ask at; "+flag)
}

// allowing is the flag that would allow a request, "" if none does.
func allowing(q timeline.Request) string {
	rule := ""
	switch q.Kind {
	case "shell":
		for _, p := range q.Programs {
			if !p.ReadOnly && rule == "" {
				rule = "shell(" + p.Name + ":*)"
			}
		}
	case "write", "read":
		rule = q.Kind
	case "url":
		if host := q.Host(); host != "" {
			rule = "url(" + host + ")"
		}
	case "custom-tool":
		rule = q.ToolName
	}
	if rule == "" {
		return ""
	}
	return "--allow-tool " + cli.ShellWord(timeline.OneLine(rule, terminal.Columns))
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
