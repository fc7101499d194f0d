package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Permissions are the commands of clients about what the session's tools may do.
func (s *Session) Permissions() *approval.Permissions { return s.permissions }

// Questions are the open questions of tools to the user.
func (s *Session) Questions() *approval.Questions { return s.questions }

// approvalHost is a session as package approval sees it. It implements
// [approval.Session] and [approval.Clients].
type approvalHost struct{ recorder }

// CanDecide implements [approval.Session].
func (h approvalHost) CanDecide() bool {
	if h.s.config.waits {
		return true
	}
	for _, c := range h.s.clients {
		if c.decides || c.shows {
			return true
		}
	}
	return false
}

// ModeOf implements [approval.Session].
func (h approvalHost) ModeOf(agentID string) agent.Mode { return h.s.agents.ModeOf(agentID) }

// Latest implements [approval.Clients].
func (h approvalHost) Latest(can approval.Ability) approval.Client {
	if c := h.s.latest(func(c *Client) bool { return c.callable(can) }); c != nil {
		return asked{c}
	}
	return nil
}

// Answerers implements [approval.Clients].
func (h approvalHost) Answerers(can approval.Ability) (list []approval.Client) {
	for _, c := range h.s.clients {
		if c.can(can) {
			list = append(list, asked{c})
		}
	}
	return list
}

// Answering returns a context for the methods that answer a question of the session, which says that the answer
// is this client's.
func (c *Client) Answering(ctx context.Context) context.Context {
	return approval.AnsweredBy(ctx, asked{c})
}

// asked is a client as packages below see it: approval, canvas, clienttools and command.
type asked struct{ c *Client }

func (a asked) Call(ctx context.Context, method string, params, result any) error {
	return a.c.peer.Call(ctx, method, params, result)
}

func (a asked) Attached() context.Context { return a.c.attached }

func (a asked) Reachable() bool { return a.c.peer != nil }

func (a asked) Name() string { return a.c.name }

func (a asked) Joined() string { return a.c.join }

func (a asked) Can(can approval.Ability) bool { return a.c.can(can) }

func (a asked) Commands() []wire.Command { return a.c.commands }

func (a asked) Send(agentID string, data wire.Data) { a.c.s.log.EmitTo(a.c.tail, agentID, data) }

// latest is the client that attached last of those that can do something, nil if
// none can.
func (s *Session) latest(can func(*Client) bool) *Client {
	for i := len(s.clients) - 1; i >= 0; i-- {
		if can(s.clients[i]) {
			return s.clients[i]
		}
	}
	return nil
}

// ShowPermissions sets whether a client answers permission requests, in addition to its
// configuration.
func (c *Client) ShowPermissions(ctx context.Context, shows bool) error {
	return c.s.log.Do(ctx, func() error { c.shows = shows; return nil })
}

// Ask implements [turn.Host].
func (t *thread) Ask(ctx context.Context, q *permit.Request, c *tool.Call) tool.Permission {
	t.onTape().Replay(q, c)
	answer := t.s.requests.Ask(ctx, q, c)
	t.onTape().Record(q, c, answer.Answer)
	return answer
}

// AskUser implements [tool.User].
func (h host) AskUser(ctx context.Context, c tool.Call, q tool.Question) (tool.UserAnswer, error) {
	return h.s.questions.AskUser(ctx, c, q)
}

// AskForm implements [tool.User].
func (h host) AskForm(ctx context.Context, c tool.Call, q tool.FormQuestion) (tool.FormAnswer, error) {
	a, err := h.s.questions.Elicit(ctx, approval.Elicitation{AgentID: c.AgentID, ToolCallID: c.ID, Message: q.Message, Schema: q.Schema})
	return tool.FormAnswer{Action: a.Action, Content: a.Content}, err
}

// ApprovePlan implements [tool.User].
func (h host) ApprovePlan(ctx context.Context, c tool.Call, p tool.Plan) (tool.PlanAnswer, error) {
	d, err := h.s.questions.ApprovePlan(ctx, c, p, h.planContent(ctx))
	if err == nil && d.Approved {
		err = h.s.Settings().leavePlanMode(ctx, d.Action)
	}
	return d, err
}

// planContent is the text of the session's plan, "" if there is none.
func (h host) planContent(ctx context.Context) string {
	text, _, err := h.s.workspace.Stored().Plan(ctx)
	if err != nil {
		h.s.log.Logger().Warn("the plan cannot be read", "err", err)
	}
	return text
}
