package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Prompt implements [turn.Host]. The conversation is written out here, on the
// goroutine of the run: it may be long, and the oldest of it only in the log.
func (r *run) Prompt(ctx context.Context) (p turn.Prompt, err error) {
	var talk conversation // no call is open now, so what it holds does not change
	var system string
	err = r.s.post(context.WithoutCancel(ctx), func() error {
		p, system, err = r.s.prompt(ctx, r)
		talk = r.s.conversation
		return err
	})
	if err != nil {
		return p, err
	}
	entries, err := talk.all(r.s.log.Read(1))
	if err != nil {
		return p, err
	}
	if talk.gone > 0 {
		_ = r.s.post(context.WithoutCancel(ctx), func() error { r.s.regain(talk, entries); return nil })
	}
	p.Request.Messages = transcript(system, entries)
	return p, nil
}

// prompt puts together what the next turn sends, but for its messages, of which it
// returns the first.
func (s *Session) prompt(ctx context.Context, r *run) (p turn.Prompt, system string, err error) {
	if ctx.Err() != nil {
		return p, "", ctx.Err()
	}
	if err := s.steer(); err != nil {
		return p, "", err
	}
	system = s.systemMessage()
	if digest(system) != s.system {
		if err := s.record(&wire.SystemMessage{Role: "system", Content: system}); err != nil {
			return p, "", err
		}
	}
	p = turn.Prompt{
		TurnID: turnID(s.turns), ContextTokens: r.endpoint.contextTokens, BytesPerToken: s.ratio, Tools: map[string]turn.Offer{},
		Request: model.Request{
			Model: r.endpoint.model, Stream: r.streaming,
			ReasoningEffort: s.effort, Headers: r.headers, InteractionID: r.id, OnRetry: r.retrying,
		},
	}
	if s.history.model != "" && r.endpoint.named {
		p.Request.Model = s.history.model // switched during the run
	}
	for _, t := range s.offered() {
		p.Tools[t.def.Name] = turn.Offer{Tool: t, Schema: t.schema}
		p.Request.Tools = append(p.Request.Tools, model.Tool{Name: t.def.Name, Description: t.def.Description, Parameters: t.def.Parameters})
	}
	if s.resumed {
		s.resumed = false
		p.TurnID, p.Unfinished = s.openTurn, s.unfinished()
	}
	return p, system, nil
}

// offered are the tools of all attached clients that the filter lets through, in
// the order in which they came.
func (s *Session) offered() []*clientTool {
	var out []*clientTool
	for _, c := range s.clients {
		for _, t := range c.tools {
			if s.filter.Offers(t.def) {
				out = append(out, t)
			}
		}
	}
	return out
}

// unfinished are the calls that were open when the session was resumed. What one
// waits for, a permission or its result, any client can give, also if none that is
// attached brings its tool.
func (s *Session) unfinished() []turn.Unfinished {
	var out []turn.Unfinished
	for _, c := range s.open() {
		u := turn.Unfinished{Call: c.ToolCall, Started: c.started}
		if asked(s.external, c.ID) != "" || asked(s.permissions, c.ID) != "" {
			u.Tool = s.waitingFor(c.Name)
		}
		out = append(out, u)
	}
	return out
}

// waitingFor is the tool of a call that waits: the one that is on offer, which says
// whether its success ends the run, else only its name.
func (s *Session) waitingFor(name string) tool.Tool {
	for _, t := range s.offered() {
		if t.def.Name == name {
			return t
		}
	}
	return newClientTool(s, wire.Tool{Name: name})
}
