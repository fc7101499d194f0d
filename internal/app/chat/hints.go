package chat

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// suggestion says once which flag would have allowed what nobody could be asked.
func suggestion(o *cli.Options, q timeline.Request) {
	if q.Personal {
		fmt.Fprintln(o.Sys.Stderr, "hint: there is no terminal to ask at, and a confirmation is a person's to give; no flag gives it")
		return
	}
	flag := "--allow-all allows everything"
	if f := allowing(q); f != "" {
		flag = f + " allows this, --allow-all everything"
	}
	fmt.Fprintln(o.Sys.Stderr, "hint: there is no terminal to ask at; "+flag)
}

// allowing is the flag that covers a request, "" if none does.
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

// hint says what a run took and how to go on, to a person who sees it.
func hint(o *cli.Options, id string, took spending) {
	if terminal.Is(o.Sys.Stderr) {
		look := terminal.PaintFor(o.Sys.Stderr, o.Sys.Getenv)
		if took.turns > 0 {
			fmt.Fprintln(o.Sys.Stderr, look.Dim("\n"+took.String()))
		}
		fmt.Fprintln(o.Sys.Stderr, look.Dim("to go on: sidestick run --resume "+cli.ShellWord(id)+` "..."`))
	}
}
