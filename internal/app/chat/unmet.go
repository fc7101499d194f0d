package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// unmet are the calls of a run that were denied because no user could be asked, or by plan mode, and that the answer
// needed. A call counts as needed unless the model found another way: unless, in a later turn, a
// call of a tool that does the same kind of thing succeeded.
type unmet struct {
	denied  []timeline.Request // at most maxAsked
	planned bool               // plan mode has denied some of them
	kinds   map[string]string  // of the calls that have begun, by id; see kind
	turn    map[string]bool    // kinds that were denied before this turn
	later   map[string]bool    // calls that began in a later turn than a denial of their kind
}

// deny takes a request that no user could answer.
func (u *unmet) deny(q timeline.Request) {
	if len(u.denied) < maxAsked {
		u.denied = append(u.denied, q)
	}
}

// refuse takes a call that plan mode has denied.
func (u *unmet) refuse(q timeline.Request) {
	u.planned = true
	u.deny(q)
}

// learn takes an event of the run.
func (u *unmet) learn(e follow.Event) {
	switch e.Type {
	case "assistant.turn_start":
		u.turn = map[string]bool{}
		for _, q := range u.denied {
			u.turn[u.kinds[q.ToolCallID]] = true
		}
	case "tool.execution_start":
		u.start(e.Row.Call, kind(e.Get("toolName").Text()))
	case "tool.execution_complete":
		if u.later[e.Row.Call] && e.Get("success").True() && !e.Row.Failed {
			done := u.kinds[e.Row.Call]
			u.denied = slices.DeleteFunc(u.denied, func(q timeline.Request) bool { return u.kinds[q.ToolCallID] == done })
		}
	}
}

func (u *unmet) start(call, kind string) {
	if u.kinds == nil {
		u.kinds, u.later = map[string]string{}, map[string]bool{}
	}
	if len(u.kinds) < maxCalls {
		u.kinds[call], u.later[call] = kind, u.turn[kind]
	}
}

// maxCalls bounds the calls of a run that are remembered.
const maxCalls = 10_000

// kind is what a tool does: tools of the same kind can replace each other.
func kind(tool string) string {
	switch fact.Of(tool).Does {
	case fact.Shell:
		return "shell"
	case fact.Write:
		return "write"
	case fact.Read, fact.Search:
		return "read"
	}
	return tool
}

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
