package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// choiceOf is the model of the session as it is chosen now. It is called on the session's
// goroutine.
func choiceOf(s *Session) provider.Choice {
	p, caps := s.providerOf(s.log.State().Model)
	s.config.carrier.carry(&p.Endpoint, s.id, "")
	c := provider.Choice{Provider: p, Model: s.log.State().Model, Override: cmp.Or(s.config.override, caps), Remote: s.config.providers.Remote, Situate: situate(s, "")}
	if s.config.resumed && s.log.State().Main.OpenExtension() != "" {
		c.Model = s.log.State().Main.OpenExtension() // it asked the question; the client that resumed may have named another model
	}
	c.Refused = unchosen(s, c.Model)
	return c
}

// Window returns how many tokens the prompt of the next turn may have, with the given
// model, and where that is known from; "" is the session's. It may ask the provider for its list of models. A provider that
// does not answer, or does not know the model, has the limit of most models.
func (t Settings) Window(ctx context.Context, model string) (provider.PromptWindow, error) {
	e, _, err := t.resolved(ctx, model) // the zero value if no message could be sent
	if err != nil {
		return provider.PromptWindow{}, err
	}
	w := e.Limit(e.Model)
	if w.Tokens == 0 {
		w = provider.PromptWindow{Tokens: provider.DefaultContextTokens, Source: provider.WindowAssumed}
	}
	return w, ctx.Err()
}

// Destination is where the next message of a session goes.
type Destination struct {
	// Model is the name of the model, "" if none is chosen; Address is where it is, without user and query, "" for an agent.
	Model, Address string
	// Window is how long a prompt may be.
	Window provider.PromptWindow
	// Missing is why no message can be sent, nil if one can.
	Missing error
}

// Destination returns where the next message goes. It may ask the provider, as [Settings.Window].
func (t Settings) Destination(ctx context.Context) (Destination, error) {
	e, failed, err := t.resolved(ctx, "")
	if err != nil || failed != nil {
		return Destination{Missing: failed}, err
	}
	return Destination{Model: e.Model, Address: model.PublicAddress(e.At.BaseURL), Window: e.Limit(e.Model)}, ctx.Err()
}

// resolved finds out where a message would go. failed is why it would go nowhere.
func (t Settings) resolved(ctx context.Context, name string) (e provider.Endpoint, failed, err error) {
	c, err := mailbox.Ask(ctx, t.s.log.Do, func() (provider.Choice, error) { return t.s.newRun(wire.Send{}).choice, nil })
	if err != nil {
		return e, nil, err
	}
	c.Model, c.Patient = cmp.Or(name, c.Model), true
	e, failed = t.s.home.Models.Resolve(ctx, c)
	if name == "" && failed == nil {
		if err := t.noteToolSet(ctx, &e); err != nil {
			return e, nil, err
		}
	}
	return e, failed, nil
}

// switchedModel reports whether the model was changed since the run found out where its calls go. A
// Copilot Extensions agent takes over with the next message only. It is called on the session's
// goroutine.
func (t *thread) switchedModel() bool {
	now := t.s.log.State().Model
	return t.sub == nil && !t.endpoint.IsExtension() && now != "" && now != t.choice.Model && !state.IsExtension(now)
}

// follow finds out where the calls of a model go that was switched to.
func (t *thread) follow(ctx context.Context) error {
	c, err := mailbox.Ask(ctx, t.s.log.Post, func() (provider.Choice, error) { return choiceOf(t.s), nil })
	if err != nil {
		return err
	}
	ep, err := t.s.home.Models.Resolve(ctx, c)
	if err != nil {
		return err
	}
	t.choice, t.endpoint = c, ep
	return nil
}

// Stream implements [turn.Model]. An effort that the model does not take is not sent.
func (t *thread) Stream(ctx context.Context, req model.Request, onDelta func(model.Delta)) (*model.Response, error) {
	asked, taken := req.ReasoningEffort, t.endpoint.Takes(&req)
	if !taken {
		req.ReasoningEffort = ""
	}
	if req.ReasoningSummary != "" && !t.endpoint.Summarizes() {
		t.warn(fmt.Sprintf("The provider of the model %s has no choice of summaries, so reasoningSummary has no effect.", req.Model))
	}
	if t.budget != nil && t.budget.MaxTokens > 0 {
		req.OnBroken = nil // the tokens of the lost answer are not known, and those of another one are not reserved
	}
	req.Hurried = t.replaceable(ctx)
	resp, err := t.endpoint.Stream(ctx, req, onDelta)
	if err != nil && !turn.Billed(err) { // else [thread.Used] is told
		t.spending.Free()
	}
	switch known := t.endpoint.Known; {
	case err != nil:
	case !taken || resp.WithoutEffort:
		t.warn(fmt.Sprintf("The model %s does not take the reasoning effort %q. It answers with its usual effort.", req.Model, asked))
	case asked != "" && len(known) > 0 && !slices.Contains(known, asked):
		if sent := t.endpoint.EffortSent(&req); sent != asked && slices.Contains(known, sent) {
			t.warn(fmt.Sprintf("The model %s has no reasoning effort %q. It was asked for %q, the nearest that it has.", req.Model, asked, sent))
			break
		}
		t.warn(fmt.Sprintf("The reasoning effort %q was sent to the model %s, of which only these are known: %s.", asked, req.Model, strings.Join(known, ", ")))
	}
	return resp, err
}

// warn records a warning about the model, once for each that the session has in memory.
func (t *thread) warn(message string) {
	err := t.s.log.Post(context.Background(), func() error {
		if t.s.config.warned[message] {
			return nil
		}
		if t.s.config.warned == nil {
			t.s.config.warned = map[string]bool{}
		}
		t.s.config.warned[message] = true
		return t.s.log.Record(t.agentID, &wire.SessionWarning{WarningType: state.WarningReasoning, Message: message})
	})
	if err != nil {
		t.s.log.Logger().Warn("a warning was not recorded", "warning", message, "err", err)
	}
}
