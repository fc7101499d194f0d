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

// unmet are the calls of a run that were denied because no user could be asked, or by a [refusal], and that the answer
// needed. A call counts as needed unless the model found another way: unless, in a later turn, a
// call of a tool that does the same kind of thing succeeded.
type unmet struct {
	denied []timeline.Request // at most maxAsked
	why    string             // why some of them were denied without a question; "" if none was
	kinds  map[string]string  // of the calls that have begun, by id; see kind
	turn   map[string]bool    // kinds that were denied before this turn
	later  map[string]bool    // calls that began in a later turn than a denial of their kind
}

// deny takes a request that no user could answer.
func (u *unmet) deny(q timeline.Request) {
	if len(u.denied) < maxAsked {
		u.denied = append(u.denied, q)
	}
}

// refuse takes a call that was denied without a question.
func (u *unmet) refuse(q timeline.Request, r refusal) {
	u.why = r.why
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

// refusal is why a call is denied without a question although the user may not expect it, and what allows it. What a
// deny rule denies is none: the user has written it.
type refusal struct{ why, advice string }

var (
	byPlan    = refusal{permit.InPlanMode, "--agent-mode interactive leaves it"}
	bySandbox = refusal{permit.MustBeInside, "without --sandbox-required (sandbox.required) you are asked, or --allow-all decides; why no sandbox works: sidestick doctor"}
)

// refusalOf is why a call was denied without a question; nil if it was not.
func refusalOf(e follow.Event) *refusal {
	failure := e.Get("error")
	if e.Type != "tool.execution_complete" || failure.Get("code").Text() != "denied" {
		return nil
	}
	for _, r := range []*refusal{&byPlan, &bySandbox} {
		if strings.Contains(failure.Get("message").Text(), r.why) {
			return r
		}
	}
	return nil
}

// refused reports a call that was denied because an earlier command has left the session in plan mode, or because no
// sandbox works.
func (r *runner) refused(t *conversation, call timeline.Row, by refusal) {
	if by == byPlan && r.Mode() != "" { // the user has just chosen plan mode, and knows it
		return
	}
	t.unmet.refuse(timeline.Request{Kind: call.Of, ToolCallID: call.Call}, by) // nothing was requested, so only the title is known
	if r.script != nil {
		kind := permit.Write
		if by == bySandbox {
			kind = permit.Shell
		}
		r.result.Denials = append(r.result.Denials, show.ResultDenial{Kind: string(kind), Title: call.Of, Call: call.Call, Hint: by.advice})
		return
	}
	text := "hint: denied: " + timeline.Cut(call.Of, 2*terminal.Columns) + "; " + by.why + "; " + by.advice
	fmt.Fprintln(r.Sys.Stderr, cli.ForScreen(r.Sys.Stderr, text))
}
