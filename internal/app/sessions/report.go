package sessions

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// verified is a row of `sessions verify`.
type verified struct {
	files.Report
	State   string `json:"state"` // intact, changed, damaged, incomplete, empty, unreadable
	Problem string `json:"problem,omitempty"`
}

// judge is the state of a log, and the problem if it is not intact.
func judge(r files.Report, err error) verified {
	v := verified{Report: r, State: "intact"}
	switch {
	case err != nil:
		v.State, v.Problem = "unreadable", cli.Message(err)
	case r.Changed != nil:
		v.State, v.Problem = "changed", r.Changed.String()
	case r.Damage != "":
		v.State, v.Problem = "damaged", r.Damage
	case r.Missing > 0:
		v.State, v.Problem = "incomplete", fmt.Sprintf("events missing from the end: %d", r.Missing)
	case r.Records == 0:
		v.State, v.Problem = "empty", "the log has no events: its first event was never stored, or the log was emptied"
	case r.Payloads > 0:
		v.State, v.Problem = "incomplete", fmt.Sprintf("events that have lost their content in events.payloads: %d", r.Payloads)
	}
	return v
}

// printVerified prints the state of one log. dir is the folder of the session.
func printVerified(o *cli.Options, v verified, dir string) error {
	look := terminal.PaintFor(o.Sys.Stdout, o.Sys.Getenv)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", v.Session, painted(look, v.State))
	row := func(about, text string) { fmt.Fprintf(&b, "  %s  %s\n", timeline.Pad(about, 8), text) }
	if v.Problem != "" {
		row("problem", v.Problem)
	}
	row("events", fmt.Sprintf("%d, %s", v.Records, cli.Size(v.Bytes)))
	row("index", covered(v.Report))
	row("sha256", v.Hash)
	if next := nextStep(v, dir); next != "" {
		row("next", next)
	}
	b.WriteString(lost(v.Lost, v.Payloads))
	err := cli.Print(o.Sys.Stdout, b.String())
	return err
}

// nextStep is what the user can do about a log, "" for one that is intact.
func nextStep(v verified, dir string) string {
	accept := "sidestick sessions verify --accept " + cli.IDArgument(v.Session)
	switch {
	case v.State == "changed":
		return "restore the log, or accept it as it is: " + accept
	case v.State == "damaged":
		return "nothing: it is repaired when the session is resumed"
	case v.State == "empty":
		return "restore events.jsonl in " + cli.ShellWord(dir) + " from a copy; without it the session continues without its history"
	case v.State == "incomplete" && v.Missing > 0:
		return "restore the log from a copy, or accept it without these events: " + accept
	case v.State == "incomplete":
		return "restore events.payloads in " + cli.ShellWord(dir) + " from a copy; --accept cannot. The other events can be used without it"
	}
	return ""
}

// covered says how many events the index can verify.
func covered(r files.Report) string {
	switch {
	case r.Index == files.IndexAbsent:
		return "none, so changes cannot be detected"
	case r.Matched == r.Records:
		return "covers all events"
	}
	return fmt.Sprintf("covers the first %d events", r.Matched)
}

func painted(look terminal.Paint, state string) string {
	if state == "intact" {
		return look.Green(state)
	}
	return look.Red(state)
}

func printVerifiedAll(o *cli.Options, list []verified, asJSON bool) error {
	if asJSON {
		return cli.PrintJSON(o.Sys.Stdout, list)
	}
	if len(list) == 0 {
		err := cli.Print(o.Sys.Stdout, "No sessions yet."+"\n")
		return err
	}
	table := cli.NewTable(o.Sys, []int{2}, "ID", "STATE", "EVENTS", "SHA-256, OR WHAT IS WRONG")
	for _, v := range list {
		what := v.Hash
		if v.Problem != "" {
			what = v.Problem
		}
		table.Row(v.Session, v.State, fmt.Sprint(v.Records), what)
	}
	return table.Print()
}
