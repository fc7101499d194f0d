package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Prompt implements [turn.Host]. The conversation is written out here, on the
// goroutine of the run: it may be long, and the oldest of it only in the log.
func (r *run) Prompt(ctx context.Context) (p turn.Prompt, err error) {
	if !r.decided() { // else that is told first, and alone
		if err := r.steer(ctx); err != nil {
			return p, err
		}
	}
	if err := r.advise(); err != nil {
		return p, err
	}
	for {
		p, talk, err := r.draft(ctx)
		if err != nil || len(p.Unfinished) > 0 {
			return p, err
		}
		again, err := r.shorten(ctx, &p, talk)
		if err != nil {
			return p, err
		}
		if !again {
			r.reserve(&p)
			return p, nil
		}
	}
}

// transcribed is a conversation as it stood when a request was made of it.
type transcribed struct {
	entries []state.Message
	epoch   int
}

// draft is the next turn's request as the conversation stands.
func (r *run) draft(ctx context.Context) (p turn.Prompt, is transcribed, err error) {
	if err := r.s.History().rebuild(ctx); err != nil {
		return p, is, err
	}
	var system string
	var offered []offer
	if !r.endpoint.isExtension() {
		if system, offered, err = r.system(ctx); err != nil {
			return p, is, err
		}
	}
	var talk state.Thread // no call is open now, so what it holds does not change
	var cuts state.Spans
	err = r.s.post(context.WithoutCancel(ctx), func() error {
		p, err = r.s.prompt(ctx, r, system, offered)
		talk, cuts, is.epoch = r.s.state.Main, r.s.state.Cuts(), r.s.state.Epoch
		return err
	})
	if err != nil {
		return p, is, err
	}
	is.entries, err = talk.All(cuts, r.s.History().records(context.WithoutCancel(ctx))())
	if err != nil {
		return p, is, err
	}
	if talk.Released > 0 {
		_ = r.s.post(context.WithoutCancel(ctx), func() error { r.s.state.Main.Restore(talk, is.entries); return nil })
	}
	if r.endpoint.isExtension() {
		p.Request.Messages = state.ExtensionTranscript(r.endpoint.model, is.entries)
		return p, is, nil
	}
	p.Request.Messages = prompt.Visible(state.Transcript(system, is.entries), r.endpoint.vision)
	return p, is, nil
}

// prompt puts together what the next turn sends, but for its messages, the first of
// which is system.
func (s *Session) prompt(ctx context.Context, r *run, system string, offered []offer) (p turn.Prompt, err error) {
	if ctx.Err() != nil {
		return p, ctx.Err()
	}
	if state.Digest(system) != s.state.System && !r.endpoint.isExtension() {
		if err := s.record(&wire.SystemMessage{Role: "system", Content: system}); err != nil {
			return p, err
		}
	}
	p = turn.Prompt{
		ContextTokens: r.endpoint.contextTokens, BytesPerToken: s.ratio,
		Request: model.Request{
			Model: r.endpoint.model, Stream: r.streaming,
			ReasoningEffort: s.state.ReasoningEffort, Headers: r.headers, InteractionID: r.id, OnRetry: r.retrying,
		},
	}
	if s.state.Model != "" && r.endpoint.named && !state.IsExtension(s.state.Model) {
		p.Request.Model = s.state.Model // switched during the run
	}
	if !r.endpoint.isExtension() {
		p.Request.Model, p.Request.ReasoningEffort = s.agents.Main.ModelOr(p.Request.Model), s.agents.Main.EffortOr(s.state.ReasoningEffort)
	}
	p.Tools, p.Request.Tools = make(map[string]turn.Offer, len(offered)), make([]model.Tool, 0, len(offered))
	if r.endpoint.isExtension() {
		p.Request.Thread = s.extensionThread()
		p.Tools[extensions.ConfirmationTool] = turn.Offer{Tool: &r.confirmation, Schema: tool.NewSchema(nil)}
	}
	for _, t := range offered {
		p.Tools[t.sent.Name] = turn.Offer{Tool: t.Tool, Schema: t.schema}
		p.Request.Tools = append(p.Request.Tools, t.sent)
	}
	if s.resumed {
		s.resumed = false
		p.TurnID, p.Unfinished = s.state.Main.OpenTurn, s.unfinished()
	}
	return p, nil
}

// advise records what hooks have had to say since the last call.
func (r *run) advise() error {
	r.mu.Lock()
	guidance := r.guidance
	r.guidance = nil
	r.mu.Unlock()
	for _, text := range guidance {
		if err := r.Record(aside(state.SourceHook, text)); err != nil {
			return err
		}
	}
	return nil
}

// unfinished are the calls that were open when the session was resumed. What one
// waits for, a permission or its result, any client can give, also if none that is
// attached brings its tool.
func (s *Session) unfinished() []turn.Unfinished {
	var out []turn.Unfinished
	for _, c := range s.state.Main.Open() {
		u := turn.Unfinished{Call: c.ToolCall, Started: c.Started}
		if s.state.Main.OpenExtension() != "" { // also if a client has a tool of that name
			u.Tool = &confirmation{} // nothing is told to the agent before its result is on disk
		} else if s.state.Main.Waits(c.ID) {
			u.Tool = s.waitingFor(c.Name)
		} else if t := s.repeatable(c.Name); t != nil {
			u.Tool = t
		}
		out = append(out, u)
	}
	return out
}

// waitingFor is the tool of a call that waits: the one that is on offer, which says
// whether its success ends the run, else only its name.
func (s *Session) waitingFor(name string) tool.Tool {
	if t := s.offer(name); t != nil {
		return t
	}
	return newClientTool(s, wire.Tool{Name: name})
}

// repeatable is the tool of that name if a call that was cut off can be made again,
// else nil.
func (s *Session) repeatable(name string) tool.Tool {
	if t := s.offer(name); t != nil && t.Definition().Repeatable {
		return t
	}
	return nil
}

// offer is the tool of that name that is on offer, nil if none is.
func (s *Session) offer(name string) tool.Tool {
	for _, t := range s.offered() {
		if t.Definition().Name == name {
			return t.Tool
		}
	}
	return nil
}
