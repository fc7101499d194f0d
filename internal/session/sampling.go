package session

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// What MCP servers ask models for: a client decides, and may have the session's model answer.

// Sampled is the answer of a model to a request of a server.
type Sampled struct {
	Text, Model string
	Cut         bool // it has reached its greatest length
}

// Sample has the session's model answer the request of an MCP server, with nothing of the
// conversation. id names the execution, for [mcp.Set.CancelExecution]. It ends when the client leaves.
func (c *Client) Sample(ctx context.Context, id, server string, params json.RawMessage) (answer Sampled, err error) {
	set, err := MCP(c.s).Set()
	if err != nil {
		return Sampled{}, err
	}
	ctx, leave := c.present(ctx)
	defer leave()
	ctx, end, err := set.Execution(ctx, id, server)
	if err != nil {
		return Sampled{}, err
	}
	defer end()
	q, err := mcp.ReadSample(params)
	if err != nil {
		return Sampled{}, fault.New(fault.Invalid, "session.mcp.executeSampling", server, "%w", err)
	}
	err = c.s.log.Guard(func() error { answer, err = c.sample(ctx, q); return err })
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return answer, err
}

// sample makes the call of the model.
func (c *Client) sample(ctx context.Context, q mcp.SampleRequest) (Sampled, error) {
	s := c.s
	t, err := mailbox.Ask(ctx, s.log.Do, func() (*thread, error) { return s.newRun(wire.Send{}).main, nil })
	if err != nil {
		return Sampled{}, err
	}
	if t.endpoint, err = s.home.Models.Resolve(ctx, t.choice); err != nil {
		return Sampled{}, err
	}
	if t.endpoint.IsExtension() {
		return Sampled{}, fault.New(fault.Invalid, "session.mcp.executeSampling", s.id, "an agent of another system answers no requests of MCP servers")
	}
	name, err := mailbox.Ask(ctx, s.log.Do, func() (string, error) { return s.agents.Main().ModelOr(t.endpoint.Model), nil })
	if err != nil {
		return Sampled{}, err
	}
	p := turn.Prompt{ContextTokens: t.endpoint.Window(name), Request: model.Request{
		Model: name, Messages: prompt.Visible(sampled(q), t.endpoint.Sight()), Stream: t.streams(), MaxOutputTokens: q.MaxTokens, InteractionID: t.id, OnRetry: t.retrying, Initiator: model.InitiatorAgent,
	}}
	resp, err := t.aside(ctx, p, func(model.Delta) {})
	if err != nil {
		return Sampled{}, err
	}
	cut := resp.FinishReason == model.FinishLength || resp.FinishReason == model.FinishWindow
	if why := resp.Incomplete(); why != "" && !cut {
		return Sampled{}, fault.New(fault.Unavailable, "session.mcp.executeSampling", s.id, "%s", why)
	}
	return Sampled{Text: resp.Text, Model: cmp.Or(resp.Model, name), Cut: cut}, nil
}

// sampled are the messages of a request of a server.
func sampled(q mcp.SampleRequest) (all []model.Message) {
	if strings.TrimSpace(q.System) != "" {
		all = append(all, model.Message{Role: model.RoleSystem, Content: q.System})
	}
	for _, t := range q.Turns {
		m := model.Message{Role: model.RoleUser, Content: t.Text}
		if t.Assistant {
			m.Role = model.RoleAssistant
		} else if len(t.Pictures) > 0 {
			m.Parts = []model.Part{{Text: t.Text}}
			for _, url := range t.Pictures {
				m.Parts = append(m.Parts, model.Part{ImageURL: url})
			}
		}
		all = append(all, m)
	}
	return all
}
