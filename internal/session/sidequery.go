package session

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A side question is answered from the conversation and leaves no trace in it: nothing is
// recorded, and the model has no tools. It may be asked while a run works.

// maxQueries bounds the side questions of one client that are answered at once.
const maxQueries = 4

// EphemeralQuery answers a question from the conversation as it is, and adds nothing to it.
// The pieces of the answer are ui.ephemeral_query events. It ends with ctx, and when the client
// leaves. [fault.Unavailable] if the client has too many such questions under way,
// [fault.Invalid] if the session talks to an agent of another system.
func (c *Client) EphemeralQuery(ctx context.Context, question string) (answer string, err error) {
	defer c.queries.Add(-1)
	if c.queries.Add(1) > maxQueries {
		return "", fault.New(fault.Unavailable, "session.ui.ephemeralQuery", c.s.id, "%d questions are being answered already", maxQueries)
	}
	ctx, leave := c.present(ctx)
	defer leave()
	id := wire.NewID()
	err = c.s.log.Do(ctx, func() error {
		c.s.log.Emit("", &wire.EphemeralQuery{RequestID: id, Phase: wire.QueryStarted})
		return nil
	})
	if err != nil {
		return "", err
	}
	err = c.s.log.Guard(func() error { answer, err = c.answerAside(ctx, id, question); return err })
	end := &wire.EphemeralQuery{RequestID: id, Phase: wire.QueryCompleted, Answer: &answer}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		end.Phase, end.Answer = wire.QueryAborted, nil
	default:
		why := fault.Message(err)
		end.Phase, end.Answer, end.Error = wire.QueryFailed, nil, &why
	}
	_ = c.s.log.Post(context.WithoutCancel(ctx), func() error { c.s.log.Emit("", end); return nil })
	return answer, err
}

// answerAside makes the call of a side question.
func (c *Client) answerAside(ctx context.Context, id, question string) (string, error) {
	s := c.s
	t, err := mailbox.Ask(ctx, s.log.Do, func() (*thread, error) { return s.newRun(wire.Send{}).main, nil })
	if err != nil {
		return "", err
	}
	if t.endpoint, err = s.home.Models.Resolve(ctx, t.choice); err != nil {
		return "", err
	}
	if t.endpoint.IsExtension() {
		return "", fault.New(fault.Invalid, "session.ui.ephemeralQuery", s.id, "an agent of another system gets no side questions")
	}
	p, err := t.asideTo(ctx, question)
	if err != nil {
		return "", err
	}
	resp, err := t.aside(ctx, p, func(d model.Delta) {
		if d.Kind == model.DeltaText {
			s.log.Notify("", &wire.EphemeralQuery{RequestID: id, Phase: wire.QueryChunk, Chunk: &d.Text})
		}
	})
	if err != nil {
		return "", err
	}
	if why := resp.Incomplete(); why != "" {
		if resp.Text == "" {
			return "", fault.New(fault.Unavailable, "session.ui.ephemeralQuery", s.id, "%s", why)
		}
		return resp.Text + "\n\n[" + why + "]", nil
	}
	return resp.Text, nil
}

// aside makes a call of the model that leaves no trace in the conversation, within the limits of the
// session.
func (t *thread) aside(ctx context.Context, p turn.Prompt, deltas func(model.Delta)) (*model.Response, error) {
	if err := t.reserveTurn(ctx, &p); err != nil || p.Stop != nil {
		return nil, cmp.Or(err, p.Stop)
	}
	defer t.spending.Free()
	begin := time.Now()
	resp, err := t.endpoint.Stream(ctx, p.Request, deltas)
	used := turn.Usage{Model: p.Request.Model, RequestBytes: p.Bytes(), Milliseconds: time.Since(begin).Milliseconds(), Lost: err != nil}
	if err != nil {
		if turn.Billed(err) {
			t.Used(used)
		}
		return nil, err
	}
	used.Tokens, used.AnswerBytes = resp.Usage, resp.Bytes
	t.Used(used)
	return resp, nil
}

// asideTo is the request of a side question: the conversation up to a tool call that has no
// result yet, and the question.
func (t *thread) asideTo(ctx context.Context, question string) (p turn.Prompt, err error) {
	if err := t.s.discovery.SearchAgain(ctx); err != nil {
		return p, err
	}
	system, _, err := t.system(ctx)
	if err != nil {
		return p, err
	}
	type now struct {
		talk  state.Thread
		cuts  state.Spans
		model string
		ratio float64
	}
	n, err := mailbox.Ask(ctx, t.s.log.Do, func() (now, error) {
		n := now{*t.talk(), t.s.log.State().Cuts(), t.s.agents.Main().ModelOr(t.endpoint.Model), t.s.metrics.Ratio()}
		n.talk.Messages = slices.Clone(n.talk.Messages) // a run may add results to them
		for i := range n.talk.Messages {
			n.talk.Messages[i].Calls = slices.Clone(n.talk.Messages[i].Calls)
		}
		return n, nil
	})
	if err != nil {
		return p, err
	}
	entries, err := n.talk.All(n.cuts, t.s.History().Records(ctx)())
	if err != nil {
		return p, err
	}
	if i := slices.IndexFunc(entries, func(m state.Message) bool {
		return slices.ContainsFunc(m.Calls, func(c state.Call) bool { return !c.Done })
	}); i >= 0 {
		entries = entries[:i]
	}
	if t.endpoint.Leaves(n.talk.LeftOut, n.model) {
		entries, _, _ = state.Without(entries, n.talk.LeftOut)
	}
	messages := append(state.Transcript(system, entries), model.Message{Role: model.RoleUser, Content: question})
	return turn.Prompt{
		ContextTokens: t.endpoint.Window(n.model), BytesPerToken: n.ratio,
		Request: model.Request{
			Model: n.model, Messages: prompt.Visible(messages, t.endpoint.Sight()), Stream: true,
			InteractionID: t.id, OnRetry: t.retrying,
		},
	}, nil
}

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
