package chat

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// leavesPlan is the advice for a run that plan mode keeps from writing.
const leavesPlan = "--agent-mode interactive leaves it"

// refusedByPlan reports whether a call was denied because the session is in plan mode.
func refusedByPlan(e follow.Event) bool {
	failure := e.Get("error")
	return e.Type == "tool.execution_complete" && failure.Get("code").Text() == "denied" && strings.Contains(failure.Get("message").Text(), permit.InPlanMode)
}

// planned reports a call that was denied because an earlier command has left the session in plan mode.
func (r *runner) planned(t *conversation, e follow.Event) {
	t.unmet.refuse(timeline.Request{Kind: e.Row.Of, ToolCallID: e.Row.Call}) // nothing was requested, so only the title is known
	if r.script != nil {
		r.result.Denials = append(r.result.Denials, show.ResultDenial{Kind: string(permit.Write), Title: e.Row.Of, Call: e.Row.Call, Hint: leavesPlan})
		return
	}
	text := "hint: denied: " + timeline.Cut(e.Row.Of, 2*terminal.Columns) + "; " + permit.InPlanMode + "; " + leavesPlan
	fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, text))
}
