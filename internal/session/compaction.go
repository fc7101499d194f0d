package session

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A conversation that gets too long for its model is made shorter: first old results
// of tools are removed, then the model is asked for a summary. Package prompt decides
// when; see docs/prompts.md. Package compact has what is recorded of a summary.

// shorten makes the conversation fit its model before the next call, if that is
// near. It reports whether the prompt is to be made anew.
func (t *thread) shorten(ctx context.Context, p *turn.Prompt, talk transcribed) (again bool, err error) {
	size := prompt.Measure(p.Request.Messages, p.Request.Tools, p.BytesPerToken)
	l := prompt.Length{Tokens: t.endpoint.Tokens(p, p.Request.Messages), Window: t.endpoint.Room(p.ContextTokens), Messages: len(p.Request.Messages) - 1}
	l.Running, l.Last = talk.running != nil, talk.last
	talk.limits.limits(&l)
	if prompt.Decide(l) == prompt.Proceed {
		return false, nil
	}
	_, freed := prompt.Trim(state.Items(talk.entries))
	l.Trimmable = int64(float64(freed) / p.BytesPerToken)
	switch action := prompt.Decide(l); action {
	case prompt.TrimResults:
		return true, t.trim(p, size, l.Trimmable)
	case prompt.Await:
		select {
		case <-talk.running:
			return true, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	case prompt.CompactNow, prompt.CompactBehind:
		if t.refusals > 0 { // a summary was just tried, and the rest is left out
			return false, nil
		}
		if action == prompt.CompactBehind && t.agentID == "" && (t.budget == nil || t.budget.MaxTokens == 0) {
			k, err := t.plan(p, size, talk, "")
			if err != nil {
				return false, t.compact.GaveUp(err, l.Tokens)
			}
			t.compact.Behind(k)
			return false, nil
		}
		done, err := t.summarize(ctx, p, t.history(p, talk, l.Window), "threshold", l.Window, l.Window)
		if err != nil {
			return false, t.compact.GaveUp(err, l.Tokens)
		}
		return done && ctx.Err() == nil, ctx.Err()
	}
	return false, nil
}

// history is a conversation without its newest message, if that is what the next call answers and would not
// be kept whole beside a summary of a conversation in a window of this many tokens.
func (t *thread) history(p *turn.Prompt, talk transcribed, window int64) transcribed {
	newest := state.Newest(talk.entries)
	if float64(talk.sizeOf(newest))/p.BytesPerToken < float64(window)/8 {
		return talk
	}
	return talk.before(newest)
}

// sizeOf is how many bytes the message of that index has; 0 if there is none.
func (is *transcribed) sizeOf(i int) int {
	if i >= len(is.entries) {
		return 0
	}
	return is.entries[i].Size()
}

// before is a conversation up to before a message, if no answer follows that and if there is one before it.
func (is transcribed) before(newest int) transcribed {
	isAnswer := func(m state.Message) bool { return !m.FromUser }
	if newest < len(is.entries) && slices.ContainsFunc(is.entries[:newest], isAnswer) && !slices.ContainsFunc(is.entries[newest:], isAnswer) {
		is.entries = is.entries[:newest]
	}
	return is
}

// maxSummaries bounds how often a summary is asked for before one call, each time of less, where the
// provider refuses the request for it as too long.
const maxSummaries = 3

// summarize has the conversation replaced by a summary now. The request for that has at most most tokens, by our
// estimate, and the conversation has room tokens then. It reports whether the conversation is another one
// now. An error says that the provider could not be asked.
func (t *thread) summarize(ctx context.Context, p *turn.Prompt, talk transcribed, trigger wire.CompactionTrigger, most, room int64) (done bool, err error) {
	ask := *p
	ask.ContextTokens = most
	var before []model.Message
	for n := 1; ; n++ {
		size := prompt.Measure(ask.Request.Messages, ask.Request.Tools, ask.BytesPerToken)
		k, err := t.plan(&ask, size, talk, "")
		if err != nil {
			return false, err
		}
		if reflect.DeepEqual(k.Request(), before) {
			return false, nil // there is nothing more that the request could lack
		}
		before = k.Request()
		k.Trigger, k.Window = trigger, p.ContextTokens
		fillRoom(&k, room)
		_, err = t.compact.Condense(ctx, k)
		e := model.ErrorOf(err)
		if err == nil || fault.KindOf(err) == fault.Conflict { // of which another was first
			return true, nil
		}
		if e == nil || e.Category != model.CategoryContextLimit || n == maxSummaries || ctx.Err() != nil {
			return false, nil
		}
		ask.BytesPerToken = t.correct(e, &model.Request{Messages: k.Request()}, ask.BytesPerToken)
		ask.ContextTokens = compact.Below(min(ask.ContextTokens, t.endpoint.Tokens(&ask, k.Request())), int64(e.Limit))
	}
}

// limits sets when a session is compacted. The zero value is the protocol's default.
func (i *infinite) limits(l *prompt.Length) {
	l.Background, l.Exhaustion, l.Off = i.Background, i.Exhaustion, i.Enabled != nil && !*i.Enabled
}

type infinite struct{ wire.InfiniteSessions }

// trim shortens old results of tools.
func (t *thread) trim(p *turn.Prompt, size prompt.Size, freed int64) error {
	n := int64(len(p.Request.Messages) - 1)
	return t.Record(&wire.SessionTruncation{
		PerformedBy: wire.TruncatedByUs, TokenLimit: p.ContextTokens, TokensRemovedDuringTruncation: freed,
		PreTruncationTokensInMessages: size.Conversation, PostTruncationTokensInMessages: size.Conversation - freed,
		PreTruncationMessagesLength: n, PostTruncationMessagesLength: n,
	})
}

// plan prepares a call for a summary of a conversation. Nothing may be open in it.
func (t *thread) plan(p *turn.Prompt, size prompt.Size, talk transcribed, focus string) (compact.Plan, error) {
	ask, name := t.endpoint, p.Request.Model // the run may get another one meanwhile
	k, err := t.compact.Plan(compact.Draft{
		Prompt: *p, Entries: talk.entries, Epoch: talk.epoch, Size: size,
		Call: func(ctx context.Context, request []model.Message) (*model.Response, turn.Usage, error) {
			return t.summary(ctx, &ask, name, request)
		},
	}, focus)
	fillRoom(&k, t.endpoint.Room(p.ContextTokens))
	return k, err
}

// fillRoom sets how many tokens the next request after a summary may have; 0: that is not known.
func fillRoom(k *compact.Plan, room int64) {
	k.Room, k.Small = room, room != 0 && room < provider.SmallWindow
}

// summary makes the model call. used is what it cost, also if it failed; zero if the
// budget allows no call.
func (t *thread) summary(ctx context.Context, ask *provider.Endpoint, name string, request []model.Message) (resp *model.Response, used turn.Usage, err error) {
	p := turn.Prompt{Request: model.Request{
		Model: name, Messages: prompt.Visible(request, ask.Sight()), Stream: t.streams(), Headers: t.headers, HeadersOwner: t.headersBy,
		InteractionID: t.id, Thread: t.s.id + t.agentID, Initiator: model.InitiatorAgent, OnRetry: t.retrying,
	}}
	held, err := t.spending.Reserve(ctx, t.account(), ask, &p)
	if err != nil || p.Stop != nil {
		return nil, used, cmp.Or(err, p.Stop)
	}
	defer held.Free()
	begin := time.Now()
	resp, err = ask.Stream(ctx, p.Request, nil)
	used = turn.Usage{Model: name, RequestBytes: p.Bytes(), Milliseconds: time.Since(begin).Milliseconds()}
	if err == nil {
		used.Tokens, used.AnswerBytes = resp.Usage, resp.Bytes
		switch why := resp.Incomplete(); {
		case why != "":
			err = fault.New(fault.Unavailable, "session.compact", t.s.id, "the model returned no complete summary: %s", why)
		case prompt.ParseSummary(resp.Text).Text == "":
			err = fault.New(fault.Unavailable, "session.compact", t.s.id, "the model returned no summary")
		}
	}
	if used.Lost = resp == nil; !used.Lost || turn.Billed(err) {
		t.spending.Settle(held, used)
	}
	return resp, used, err
}

// Compaction returns the compaction of the main conversation.
func (s *Session) Compaction() *compact.Compaction { return s.compact }

// compactHost is a session as compactions see it; it implements [compact.Session].
type compactHost struct{ recorder }

func (h compactHost) Open() error {
	if h.s.log.Closing() {
		return h.s.log.Gone()
	}
	return nil
}

func (h compactHost) FinishesLater() bool { return finishesLater(h.s) }

func (h compactHost) Ratio() float64 { return h.s.metrics.Ratio() }

func (h compactHost) Account(agentID string, used turn.Usage) { h.s.metrics.Account(agentID, used) }

func (h compactHost) Keep(title, text string) (number int64, at string, err error) {
	return h.s.workspace.Stored().AddCheckpoint(context.Background(), title, text)
}

// Prepare implements [compact.Session].
func (h compactHost) Prepare(ctx context.Context, focus string) (compact.Plan, error) {
	t, err := mailbox.Ask(ctx, h.s.log.Do, func() (*thread, error) {
		if h.s.run != nil && h.s.run.slash == "" {
			return nil, fault.New(fault.Conflict, "session.compact", h.s.id, "the session is working; abort the run, or wait until it is idle")
		}
		return h.s.newRun(wire.Send{}).main, nil
	})
	if err != nil {
		return compact.Plan{}, err
	}
	if err := h.s.look(ctx, h.s.discovery.SearchAgain); err != nil {
		return compact.Plan{}, err
	}
	if t.endpoint, err = h.s.home.Models.Resolve(ctx, t.choice); err != nil {
		return compact.Plan{}, err
	}
	if t.endpoint.IsExtension() {
		return compact.Plan{}, fault.New(fault.Invalid, "session.compact", h.s.id, "an agent of another system is not asked for summaries")
	}
	p, talk, err := t.draft(ctx)
	if err != nil {
		return compact.Plan{}, err
	}
	size := prompt.Measure(p.Request.Messages, p.Request.Tools, p.BytesPerToken)
	return t.plan(&p, size, talk, focus)
}
