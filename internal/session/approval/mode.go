package approval

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// withMode applies the mode of an agent's permissions to the decision of the rules, which is nil if the user has to
// decide. It only makes the decision stricter.
func withMode(mode agent.Mode, q *permit.Request, decided *permit.Answer) *permit.Answer {
	switch {
	case mode == agent.Planning && changes(q) && (decided == nil || decided.Outcome == permit.Approved):
		return &permit.Answer{Outcome: permit.Forbidden, Why: "is denied, because the permissionMode of this agent is plan: it may only look"}
	case mode != "" && decided == nil:
		return &permit.Answer{Outcome: permit.Forbidden, Why: "is denied, because the permissionMode of this agent has nobody asked"}
	}
	return decided
}

// changes reports whether a call may change something.
func changes(q *permit.Request) bool {
	switch q.Kind {
	case permit.Read, permit.URL:
		return false
	case permit.MCP:
		return !q.ReadOnly
	case permit.Shell:
		c := &q.Command
		return c.Unclear != "" || c.Redirects || c.Input || c.Detached || c.Stays ||
			slices.ContainsFunc(slices.Concat(c.Programs, c.Besides), func(p permit.Program) bool { return !p.ReadOnly })
	}
	return true
}
