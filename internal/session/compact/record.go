package compact

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// condensed records how a call for a summary ended: its turn, and, if it succeeded, the
// conversation that continues from the summary. failed is why there is no summary; the error
// is that, or why the summary is of no use. It is called on the session's goroutine.
func (c *Compaction) condensed(k Plan, resp *model.Response, used turn.Usage, failed error) (*wire.CompactionComplete, error) {
	claimed := c.session.Claim() // and read the events of another process
	if claimed == nil && !c.session.State().SummarizingOf(c.agentID) {
		return c.endedElsewhere(k, used)
	}
	if failed = cmp.Or(failed, claimed); failed == nil && k.epoch != c.session.State().EpochOf(c.agentID) {
		failed = c.overtaken()
	}
	pre, length := k.size.Total(), int64(k.length)
	done := &wire.CompactionComplete{
		Success: failed == nil, TokenLimit: &k.Window, PreCompactionTokens: &pre, PreCompactionMessagesLength: &length,
		SystemTokens: &k.size.System, ToolDefinitionsTokens: &k.size.Tools, Trigger: &k.Trigger,
	}
	var event wire.Data = done
	after := pre
	if failed != nil {
		message := fault.Message(failed)
		done.Error = &message
	} else {
		after, event = c.replaced(k, resp, used, done)
	}
	err := c.recordSummary(k, used, k.marked(event))
	c.last = c.last.Ended(after, failed != nil)
	if err != nil {
		c.reportUnrecorded(k, err)
		return done, err
	}
	c.reportUsage(k, done, after)
	return done, failed
}

// reportUnrecorded sends the clients the end of a compaction that the log will never have.
// After a lost claim it sends nothing: the process that has the claim now records the end,
// or the next claim here does, and clients would see two ends of one compaction.
func (c *Compaction) reportUnrecorded(k Plan, why error) {
	if c.session.FinishesLater() {
		return
	}
	message := fault.Message(why)
	c.session.Emit(c.agentID, k.marked(&wire.CompactionComplete{Error: &message, Trigger: &k.Trigger}))
}

// endedElsewhere gives a summary up that another process has ended, which had taken the
// session over. The end is in the log, so only the turn of the call is recorded.
func (c *Compaction) endedElsewhere(k Plan, used turn.Usage) (*wire.CompactionComplete, error) {
	c.last = c.last.Ended(k.size.Total(), true)
	if used.RequestBytes == 0 {
		return nil, c.overtaken()
	}
	return nil, cmp.Or(c.recordSummary(k, used), c.overtaken())
}

// recordSummary records the turn of a call for a summary, if there was one, and what
// came of it.
func (c *Compaction) recordSummary(k Plan, used turn.Usage, events ...wire.Data) error {
	if used.RequestBytes == 0 {
		return c.session.Record(c.agentID, events...)
	}
	id, initiator := c.session.State().NextTurn(c.agentID), wire.PurposeCompaction
	begin := wire.WithJSON(&wire.AssistantTurnStart{TurnID: id, Model: &k.model}, wire.FieldPurpose, wire.PurposeCompaction)
	if err := c.session.Record(c.agentID, append([]wire.Data{begin, &wire.AssistantTurnEnd{TurnID: id, Model: &k.model}}, events...)...); err != nil {
		return err
	}
	c.session.Account(c.agentID, used)
	usage := &wire.AssistantUsage{Model: k.model, Duration: &used.Milliseconds, Initiator: &initiator}
	if used.Tokens.Reported {
		usage.InputTokens, usage.OutputTokens = &used.Tokens.Input, &used.Tokens.Output
		usage.CacheReadTokens, usage.CacheWriteTokens = &used.Tokens.CacheRead, &used.Tokens.CacheWrite
		usage.Cost = used.Tokens.Cost
	}
	c.session.Notify(c.agentID, usage)
	return nil
}

// replaced fills in what the conversation is after the summary, and returns how long
// that is, in tokens.
func (c *Compaction) replaced(k Plan, resp *model.Response, used turn.Usage, done *wire.CompactionComplete) (after int64, event wire.Data) {
	removed := int64(k.length - 1)
	tokens := func(bytes int) int64 { return int64(math.Ceil(float64(bytes) / c.session.Ratio())) }
	conversation := int64(0)
	talk := c.session.State().Thread(c.agentID)
	for i := max(k.entries-talk.Released, 0); i < len(talk.Messages); i++ { // what came meanwhile
		conversation += tokens(talk.Messages[i].Size())
	}
	text, kept := k.fitting(resp.Text, k.Room-k.size.System-k.size.Tools-conversation, c.session.Ratio())
	conversation += tokens(len(prompt.SummaryMessage(kept, prompt.ParseSummary(text).Text)))
	after = k.size.System + k.size.Tools + conversation
	freed := max(k.size.Total()-after, 0) // a summary can be longer than what it replaces
	done.SummaryContent, done.MessagesRemoved, done.TokensRemoved = &text, &removed, &freed
	done.PostCompactionTokens, done.ConversationTokens = &after, &conversation
	done.CompactionTokensUsed = c.cost(k, resp, used)
	if k.checkpoint.number > 0 {
		done.CheckpointNumber, done.CheckpointPath = &k.checkpoint.number, &k.checkpoint.at
	}
	return after, wire.WithJSON(done, wire.FieldCondensed, wire.Condensed{Entries: k.entries, Said: kept})
}

// leastLeft is the smallest part of the window, in tokens, that a summary may fill with the messages of the
// user that are kept, also if the system message and the tools leave less.
const leastLeft = 512

// fitting is the summary, and what is kept of the messages of the user, as they fit into what is left of the
// window, in tokens: in a small one, the system message and the tools may have most of it. A summary that is
// longer loses its middle.
func (k *Plan) fitting(summary string, left int64, ratio float64) (text string, kept []string) {
	if !k.Small {
		kept = prompt.KeptMessages(k.texts, k.Window)
	}
	bytes := int(float64(max(left, leastLeft)) * ratio)
	if kept == nil {
		kept = prompt.KeptMessages(k.texts, int64(bytes/6)) // so that a third at least is for the summary
	}
	if k.Room > 0 {
		bytes = max(bytes-len(prompt.SummaryMessage(kept, "")), leastLeft)
		summary = prompt.Middle(summary, bytes)
	}
	return summary, kept
}

// cost is what the call used, by estimate where the provider did not count.
func (c *Compaction) cost(k Plan, resp *model.Response, used turn.Usage) *wire.CompactionTokens {
	in, out := used.Tokens.Input, used.Tokens.Output
	if !used.Tokens.Reported {
		in = int64(math.Ceil(float64(used.RequestBytes) / c.session.Ratio()))
		out = int64(math.Ceil(float64(len(resp.Text)) / c.session.Ratio()))
	}
	return &wire.CompactionTokens{
		InputTokens: &in, OutputTokens: &out, CacheReadTokens: wire.Optional(used.Tokens.CacheRead),
		CacheWriteTokens: wire.Optional(used.Tokens.CacheWrite), Duration: &used.Milliseconds, Model: &k.model,
	}
}

// reportUsage sends the clients how full the window is now.
func (c *Compaction) reportUsage(k Plan, done *wire.CompactionComplete, after int64) {
	if !done.Success {
		return
	}
	c.session.Notify(c.agentID, wire.WithLimitSource(&wire.SessionUsageInfo{
		CurrentTokens: after, TokenLimit: k.Window, MessagesLength: int64(len(c.session.State().Thread(c.agentID).Messages)),
		SystemTokens: &k.size.System, ToolDefinitionsTokens: &k.size.Tools, ConversationTokens: done.ConversationTokens,
	}, k.windowFrom))
	if note := prompt.LittleFreed(k.size.Total(), after); note != "" {
		c.session.RecordOrEmit(c.agentID, &wire.SessionWarning{WarningType: "compaction", Message: note})
	}
}

// Run has the conversation of an idle session summarised; focus names what the
// summary emphasises, "" for nothing special. It returns when that is
// done; if ctx ends first, the summary is given up. [fault.Conflict] if the session works, or is summarised already;
// [fault.Invalid] if there is nothing to summarise.
func (c *Compaction) Run(ctx context.Context, focus string) (*wire.CompactionComplete, error) {
	k, err := c.session.Prepare(ctx, focus)
	if err != nil {
		return nil, err
	}
	k.Trigger = "manual"
	return c.Condense(ctx, k)
}

// Handoff returns a summary of the conversation for another session, and leaves the
// conversation as it is; "" if there are no messages yet.
func (c *Compaction) Handoff(ctx context.Context) (string, error) {
	known, err := mailbox.Ask(ctx, c.session.Do, func() (*string, error) {
		messages := c.session.State().Main.Messages
		switch n := c.session.State().Main.Released + len(messages); {
		case n == 0:
			return new(string), nil
		case n == 1 && len(messages) == 1 && messages[0].Earlier != nil: // it is a summary
			return new(messages[0].Text), nil
		}
		return nil, nil
	})
	switch {
	case err != nil:
		return "", err
	case known != nil:
		return *known, nil
	}
	k, err := c.session.Prepare(ctx, "")
	if err != nil {
		return "", err
	}
	resp, used, err := k.call(ctx, k.plan.Request)
	if used.RequestBytes > 0 {
		err = errors.Join(err, c.session.Post(context.WithoutCancel(ctx), func() error { return c.recordSummary(k, used) }))
	}
	if err != nil {
		return "", err
	}
	return prompt.ParseSummary(resp.Text).Text, nil
}

// Cancel ends the compaction that is under way, if it was asked for as
// manual specifies. It reports whether there was one.
func (c *Compaction) Cancel(ctx context.Context, manual bool) (canceled bool, err error) {
	return mailbox.Ask(ctx, c.session.Do, func() (bool, error) {
		now := c.running
		if now == nil || now.manual != manual {
			return false, nil
		}
		now.cancel()
		return true, nil
	})
}
