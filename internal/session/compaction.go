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
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A conversation that gets too long for its model is made shorter: first old results
// of tools are removed, then the model is asked for a summary. Package prompt decides
// when; see docs/prompts.md. The call for a summary is a model call like any
// other: it has its turn, its usage is reported, and it counts against budgets.

// condensing is one call for a summary.
type condensing struct {
	plan       prompt.Compaction
	texts      []string // what users wrote, in the entries that are summarised
	entries    int      // that are summarised
	epoch      int      // of the conversation they are from
	size       prompt.Size
	length     int // messages before
	window     int64
	room       int64  // of the window, for the next request after the summary; 0: not known
	windowFrom string // its source, in words
	model      string
	ask        provider.Endpoint // the run may get another one meanwhile
	trigger    wire.CompactionTrigger
	checkpoint checkpoint // the file of the summary, once that has arrived
}

// compaction is one that is under way.
type compaction struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended, however
	manual bool
}

// Compaction replaces a conversation that gets too long by a summary. One is under way
// at a time.
type Compaction struct {
	s       *Session
	agentID string          // of the sub-agent whose conversation it is; "" for the main agent
	running *compaction     // nil if none is under way
	last    *prompt.Attempt // nil if there was none since the session was opened
}

// Compaction returns the compaction of the main conversation.
func (s *Session) Compaction() *Compaction { return &s.compact }

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
		case <-talk.running.done:
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
				return false, t.compact.gaveUp(err, l.Tokens)
			}
			t.compact.behind(t, k)
			return false, nil
		}
		done, err := t.summarize(ctx, p, t.history(p, talk, l.Window), "threshold", l.Window, l.Window)
		if err != nil {
			return false, t.compact.gaveUp(err, l.Tokens)
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
		if reflect.DeepEqual(k.plan.Request, before) {
			return false, nil // there is nothing more that the request could lack
		}
		before = k.plan.Request
		k.trigger, k.window, k.room = trigger, p.ContextTokens, room
		_, err = t.compact.condense(ctx, t, k)
		e := model.ErrorOf(err)
		if err == nil || fault.KindOf(err) == fault.Conflict { // of which another was first
			return true, nil
		}
		if e == nil || e.Category != model.CategoryContextLimit || n == maxSummaries || ctx.Err() != nil {
			return false, nil
		}
		ask.BytesPerToken = t.correct(e, &model.Request{Messages: k.plan.Request}, ask.BytesPerToken)
		ask.ContextTokens = below(min(ask.ContextTokens, t.endpoint.Tokens(&ask, k.plan.Request)), int64(e.Limit))
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
func (t *thread) plan(p *turn.Prompt, size prompt.Size, talk transcribed, focus string) (condensing, error) {
	all := state.Items(talk.entries)
	k := condensing{
		entries: len(talk.entries), epoch: talk.epoch, size: size, length: len(all), window: p.ContextTokens, windowFrom: p.ContextSource, room: t.endpoint.Room(p.ContextTokens), model: p.Request.Model,
		ask: t.endpoint, trigger: "threshold",
	}
	system := ""
	if first := p.Request.Messages[0]; first.Role == model.RoleSystem {
		system = first.Content
	}
	var err error
	k.plan, err = prompt.NewCompaction(all, prompt.CompactOptions{System: system, Focus: focus, Window: k.window, BytesPerToken: p.BytesPerToken})
	if err == nil && k.plan.Cut != len(all) {
		err = fault.New(fault.Conflict, "session.compact", t.s.id, "a tool call has no result yet")
	}
	for _, it := range all {
		k.texts = append(k.texts, it.Earlier...)
		if it.Said != "" {
			k.texts = append(k.texts, it.Said)
		}
	}
	return k, err
}

// gaveUp notes that a compaction could not be tried. The next try waits until the
// conversation has grown.
func (c *Compaction) gaveUp(why error, tokens int64) error {
	return c.s.post(context.Background(), func() error {
		c.last = c.last.Ended(tokens, true)
		c.s.logs.Info("the conversation cannot be summarized", "err", why)
		return nil
	})
}

// behind condenses beside the run. It has begun when behind returns, so that the next
// turn does not begin another.
func (c *Compaction) behind(t *thread, k condensing) {
	ctx, begun, err := c.start(context.Background(), k)
	if err != nil {
		return // another is under way; or nothing can be recorded, which the run finds out
	}
	c.s.spawn("session.compact", func() { _, _ = c.finish(ctx, begun, t, k) }) // its events report how it ended
}

// condense asks for a summary and puts it in place. A failure is sent as an event and
// returned.
func (c *Compaction) condense(ctx context.Context, t *thread, k condensing) (*wire.CompactionComplete, error) {
	ctx, begun, err := c.start(ctx, k)
	if err != nil {
		return nil, err
	}
	return c.finish(ctx, begun, t, k)
}

// start begins a compaction, whose call ctx ends. One at a time, and of the
// conversation as it is: [fault.Conflict] if another is under way or was first.
func (c *Compaction) start(ctx context.Context, k condensing) (context.Context, *compaction, error) {
	callCtx, cancel := context.WithCancel(ctx)
	begun := &compaction{cancel: cancel, done: make(chan struct{}), manual: k.trigger == "manual"}
	err := c.s.post(context.WithoutCancel(ctx), func() error {
		switch {
		case c.s.life.closing:
			return c.s.closedError()
		case c.running != nil:
			return fault.New(fault.Conflict, "session.compact", c.s.id, "the conversation is being summarized already")
		case k.epoch != c.s.state.EpochOf(c.agentID):
			return c.overtaken()
		}
		total := k.size.Total()
		err := c.s.log.recordFor(c.agentID, &wire.CompactionStart{
			ConversationTokens: &k.size.Conversation, SystemTokens: &k.size.System, ToolDefinitionsTokens: &k.size.Tools,
			CurrentTokens: &total, TokenLimit: &k.window, Model: &k.model, Trigger: &k.trigger,
		})
		if err == nil {
			c.running = begun
		}
		return err
	})
	if err != nil {
		cancel()
	}
	return callCtx, begun, err
}

// overtaken is why a summary is of no use any more.
func (c *Compaction) overtaken() error {
	return fault.New(fault.Conflict, "session.compact", c.s.id, "the conversation was changed while it was being summarized")
}

// finish asks for the summary and puts it in place.
func (c *Compaction) finish(ctx context.Context, begun *compaction, t *thread, k condensing) (done *wire.CompactionComplete, err error) {
	defer begun.cancel()
	var resp *model.Response
	var used turn.Usage
	failed := c.s.guard(func() (err error) { // in every case, the compaction ends
		if resp, used, err = t.summary(ctx, k); err == nil {
			err = c.keepSummary(&k, resp)
		}
		return err
	})
	err = c.s.post(context.Background(), func() error {
		defer func() { // not before: claims leave a summary alone that is under way here
			c.running = nil
			close(begun.done)
		}()
		done, err = c.condensed(k, resp, used, failed)
		return err
	})
	return done, cmp.Or(err, failed)
}

// checkpoint is a summary that is kept as a file.
type checkpoint struct {
	number int64 // 0: it was not kept
	at     string
}

// keepSummary keeps a summary as a checkpoint, on the caller's goroutine, unless the
// conversation is another one by now. A summary that cannot be kept is used all the same.
func (c *Compaction) keepSummary(k *condensing, resp *model.Response) error {
	err := c.s.post(context.Background(), func() error {
		if k.epoch != c.s.state.EpochOf(c.agentID) {
			return c.overtaken()
		}
		return nil
	})
	if err != nil || c.agentID != "" { // checkpoints are those of the main conversation
		return err
	}
	sum := prompt.ParseSummary(resp.Text)
	number, at, err := c.s.workspace.files.AddCheckpoint(context.Background(), sum.Title, "# "+sum.Title+"\n\n"+sum.Text+"\n")
	if err != nil {
		c.s.logs.Warn("the summary was not kept as a file", "err", err)
		return nil
	}
	k.checkpoint = checkpoint{number, at}
	return nil
}

// summary makes the model call. used is what it cost, also if it failed; zero if the
// budget allows no call.
func (t *thread) summary(ctx context.Context, k condensing) (resp *model.Response, used turn.Usage, err error) {
	p := turn.Prompt{Request: model.Request{
		Model: k.model, Messages: prompt.Visible(k.plan.Request, k.ask.Sight()), Stream: t.streams(), Headers: t.headers, HeadersOwner: t.headersBy,
		InteractionID: t.id, Thread: t.s.id + t.agentID, Initiator: model.InitiatorAgent, OnRetry: t.retrying,
	}}
	held, err := t.reserve(ctx, &p)
	if err != nil || p.Stop != nil {
		return nil, used, cmp.Or(err, p.Stop)
	}
	defer held.free()
	begin := time.Now()
	resp, err = k.ask.Stream(ctx, p.Request, nil)
	used = turn.Usage{Model: k.model, RequestBytes: p.Bytes(), Milliseconds: time.Since(begin).Milliseconds()}
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
		t.spending.settle(held, used)
	}
	return resp, used, err
}
