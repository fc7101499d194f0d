package turn_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
)

// command is a tool whose calls fail in a sandbox.
type command struct{ fn }

func (command) Request(context.Context, tool.Call) (*permit.Request, *tool.Result) {
	return &permit.Request{Kind: permit.Shell}, nil
}

// confining is a host that lets commands run in a sandbox, and has an answer for those that
// would run again, outside.
type confining struct {
	*host
	outside permit.Answer
	asked   []string
}

func (h *confining) Ask(_ context.Context, q *permit.Request, c *tool.Call) tool.Permission {
	h.asked = append(h.asked, fmt.Sprintf("%q hook %q", q.Bypass, c.Hook))
	if q.Bypass != "" {
		return tool.Permission{Answer: h.outside}
	}
	return tool.Permission{Answer: permit.Answer{Outcome: permit.Approved}, Sandbox: &sandbox.Policy{Mode: sandbox.ReadOnly}}
}

func (h *confining) Before(context.Context, tool.Call) turn.Hooked {
	return turn.Hooked{Permission: "allow"}
}

// A command that the sandbox has stopped runs a second time only after a yes of the user. The
// run continues after a no.
func TestACommandRunsOutsideOnlyAfterASecondYes(t *testing.T) {
	for name, tc := range map[string]struct {
		answer permit.Answer
		want   string
		runs   int
	}{
		"yes":             {permit.Answer{Outcome: permit.Approved}, "refused\n<the user has allowed it to run outside the sandbox; the second run:>\ndone (7)", 2},
		"no":              {permit.Answer{Outcome: permit.Rejected}, "refused\n<the user did not allow it to run outside the sandbox> (1)", 1},
		"no, and why":     {permit.Answer{Outcome: permit.Rejected, Feedback: "it is mine"}, "refused\n<the user did not allow it to run outside the sandbox; their reason: it is mine> (1)", 1},
		"nobody to ask":   {permit.Answer{}, "refused (1)", 1},
		"denied by rules": {permit.Answer{Outcome: permit.Forbidden}, "refused (1)", 1},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			run := func(_ context.Context, c tool.Call) tool.Result {
				if runs++; c.Sandbox != nil {
					return tool.Result{Outcome: tool.Success, Text: "refused", Sandboxed: true, StoppedBy: "it wrote outside", Exit: &tool.Exit{Code: 1}}
				}
				return tool.Result{Outcome: tool.Success, Text: "done", Exit: &tool.Exit{Code: 7}}
			}
			h := &confining{host: &host{tools: map[string]tool.Tool{"c": command{fn{run: run}}}}, outside: tc.answer}
			out := turn.Run(context.Background(), h, &models{says(calls("c")), says(model.Response{Text: "I see"})})
			if out != (turn.Outcome{}) || runs != tc.runs {
				t.Errorf("Run = %+v, and the tool ran %d times", out, runs)
			}
			if diff := cmp.Diff([]string{`"" hook "allow"`, `"it wrote outside" hook ""`}, h.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if got := h.events[5]; got != "tool.execution_complete "+tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}
