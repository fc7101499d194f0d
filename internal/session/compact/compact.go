// Package compact replaces a conversation that gets too long for its model by a summary. The call
// for a summary is a model call like any other: it has its turn, its usage is reported, and it
// counts against budgets. Package prompt decides when a conversation is compacted, and the thread
// that has the conversation makes the call; here is what is recorded of it.
//
// Begin with [New] for each conversation. A run makes a [Plan] with [Compaction.Plan], and carries it
// out with [Compaction.Condense] or, while it goes on, [Compaction.Behind]. Clients use
// [Compaction.Run], [Compaction.Handoff] and [Compaction.Cancel].
//
// # What always holds
//
//   - One compaction of a conversation is under way at a time. Each that has begun ends in the log,
//     here or with the next claim.
//   - A summary of a conversation that was changed meanwhile is of no use and is not recorded.
package compact

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the interface of a [Compaction] to its session. Guard, Prepare and Keep are not called on
// the session's goroutine; the other methods beside those of the Recorder are.
type Session interface {
	state.Recorder
	// Open returns nil, or the error of a session that closes.
	Open() error
	// Claim claims the log and reads what other processes have recorded, or returns why it cannot.
	Claim() error
	// FinishesLater reports whether the next claim closes, in the log, what is open now.
	FinishesLater() bool
	// Ratio is how many bytes a token of the conversation has, by experience.
	Ratio() float64
	// Account adds a call to what the session has used.
	Account(agentID string, used turn.Usage)
	// Guard runs f. A panic in it is logged and becomes an error.
	Guard(f func() error) error
	// Prepare plans a summary of the main conversation, of an idle session; focus is what it
	// emphasises, "" for nothing special. [fault.Conflict] if the session works.
	Prepare(ctx context.Context, focus string) (Plan, error)
	// Keep keeps a summary as a file, and returns its number and where it is.
	Keep(title, text string) (number int64, at string, err error)
}

// Compaction is that of one conversation. Run, Handoff, Cancel, Condense, Behind and GaveUp are safe
// for concurrent use and not called on the session's goroutine; the others are called on it, or while
// the session is opened, except for Plan.
type Compaction struct {
	session Session
	id      string // of the session
	agentID string // of the sub-agent whose conversation it is; "" for the main agent
	logs    *slog.Logger

	running *attempt        // nil if none is under way
	last    *prompt.Attempt // nil if there was none since the session was opened
}

// New returns the compaction of a conversation: that of a sub-agent, or with the agentID "" of the main
// agent. id is that of the session.
func New(session Session, id, agentID string, logs *slog.Logger) *Compaction {
	return &Compaction{session: session, id: id, agentID: agentID, logs: logs}
}

// attempt is a compaction that is under way.
type attempt struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when it has ended, however
	manual bool
}

// Busy reports whether a compaction is under way.
func (c *Compaction) Busy() bool { return c.running != nil }

// GiveUp ends the compaction that is under way, if there is one. It is recorded later, while Busy
// reports true.
func (c *Compaction) GiveUp() {
	if c.running != nil {
		c.running.cancel()
	}
}

// Now returns a channel that is closed when the compaction that is under way has ended, nil if there is
// none, and how the last one ended, nil if there was none since the session was opened.
func (c *Compaction) Now() (running <-chan struct{}, last *prompt.Attempt) {
	if c.running != nil {
		running = c.running.done
	}
	return running, c.last
}

// Draft is a conversation as it stood when a summary of it is planned.
type Draft struct {
	Prompt  turn.Prompt // the next request of the conversation
	Entries []state.Message
	Epoch   int // of the conversation
	Size    prompt.Size
	Call    Call
}

// Call asks the model for a summary. used is what that has cost, also if it failed; zero if the budget
// allows no call.
type Call func(ctx context.Context, request []model.Message) (resp *model.Response, used turn.Usage, err error)

// Plan is one call for a summary.
type Plan struct {
	Trigger wire.CompactionTrigger
	Window  int64 // of the model, in tokens
	Room    int64 // of the window, for the next request after the summary; 0: not known
	Small   bool  // the window is so small that messages of the user are kept only as far as they fit

	id         string // of the attempt
	plan       prompt.Compaction
	texts      []string // what users wrote, in the entries that are summarised
	entries    int      // that are summarised
	epoch      int      // of the conversation they are from
	size       prompt.Size
	length     int    // messages before
	windowFrom string // the source of Window, in words
	model      string
	call       Call
	checkpoint checkpoint // the file of the summary, once that has arrived
}

// marked is an event of the compaction with the id of the attempt.
func (k *Plan) marked(event wire.Data) wire.Data {
	return wire.With(event, wire.CompactionMore{CompactionAttemptID: k.id})
}

// Request is what the model is asked.
func (k *Plan) Request() []model.Message { return k.plan.Request }

// Plan prepares a call for a summary of a conversation, with the trigger "threshold" and the window of the draft's
// prompt. [fault.Conflict] if a call is open in it. Any goroutine may call it.
func (c *Compaction) Plan(d Draft, focus string) (Plan, error) {
	all := state.Items(d.Entries)
	k := Plan{
		id: wire.NewID(), Trigger: "threshold", Window: d.Prompt.ContextTokens, windowFrom: d.Prompt.ContextSource, model: d.Prompt.Request.Model,
		entries: len(d.Entries), epoch: d.Epoch, size: d.Size, length: len(all), call: d.Call,
	}
	system := ""
	if first := d.Prompt.Request.Messages[0]; first.Role == model.RoleSystem {
		system = first.Content
	}
	var err error
	k.plan, err = prompt.NewCompaction(all, prompt.CompactOptions{System: system, Focus: focus, Window: k.Window, BytesPerToken: d.Prompt.BytesPerToken})
	if err == nil && k.plan.Cut != len(all) {
		err = fault.New(fault.Conflict, "session.compact", c.id, "a tool call has no result yet")
	}
	for _, it := range all {
		k.texts = append(k.texts, it.Earlier...)
		if it.Said != "" {
			k.texts = append(k.texts, it.Said)
		}
	}
	return k, err
}

// GaveUp notes that a compaction could not be tried. The next try waits until the
// conversation has grown.
func (c *Compaction) GaveUp(why error, tokens int64) error {
	return c.session.Post(context.Background(), func() error {
		c.last = c.last.Ended(tokens, true)
		c.logs.Info("the conversation cannot be summarized", "err", why)
		return nil
	})
}

// Behind condenses beside the run. It has begun when Behind returns, so that the next
// turn does not begin another.
func (c *Compaction) Behind(k Plan) {
	ctx, begun, err := c.start(context.Background(), k)
	if err != nil {
		return // another is under way; or nothing can be recorded, which the run finds out
	}
	c.session.Go("session.compact", func() { _, _ = c.finish(ctx, begun, k) }) // its events report how it ended
}

// Condense asks for a summary and puts it in place. A failure is sent as an event and
// returned.
func (c *Compaction) Condense(ctx context.Context, k Plan) (*wire.CompactionComplete, error) {
	ctx, begun, err := c.start(ctx, k)
	if err != nil {
		return nil, err
	}
	return c.finish(ctx, begun, k)
}

// start begins a compaction, whose call ctx ends. One at a time, and of the
// conversation as it is: [fault.Conflict] if another is under way or was first.
func (c *Compaction) start(ctx context.Context, k Plan) (context.Context, *attempt, error) {
	callCtx, cancel := context.WithCancel(ctx)
	begun := &attempt{cancel: cancel, done: make(chan struct{}), manual: k.Trigger == "manual"}
	err := c.session.Post(context.WithoutCancel(ctx), func() error {
		switch {
		case c.session.Open() != nil:
			return c.session.Open()
		case c.running != nil:
			return fault.New(fault.Conflict, "session.compact", c.id, "the conversation is being summarized already")
		case k.epoch != c.session.State().EpochOf(c.agentID):
			return c.overtaken()
		}
		total := k.size.Total()
		err := c.session.Record(c.agentID, k.marked(&wire.CompactionStart{
			ConversationTokens: &k.size.Conversation, SystemTokens: &k.size.System, ToolDefinitionsTokens: &k.size.Tools,
			CurrentTokens: &total, TokenLimit: &k.Window, Model: &k.model, Trigger: &k.Trigger,
		}))
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
	return fault.New(fault.Conflict, "session.compact", c.id, "the conversation was changed while it was being summarized")
}

// finish asks for the summary and puts it in place.
func (c *Compaction) finish(ctx context.Context, begun *attempt, k Plan) (done *wire.CompactionComplete, err error) {
	defer begun.cancel()
	var resp *model.Response
	var used turn.Usage
	failed := c.session.Guard(func() (err error) { // in every case, the compaction ends
		if resp, used, err = k.call(ctx, k.plan.Request); err == nil {
			err = c.keepSummary(&k, resp)
		}
		return err
	})
	err = c.session.Post(context.Background(), func() error {
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
func (c *Compaction) keepSummary(k *Plan, resp *model.Response) error {
	err := c.session.Post(context.Background(), func() error {
		if k.epoch != c.session.State().EpochOf(c.agentID) {
			return c.overtaken()
		}
		return nil
	})
	if err != nil || c.agentID != "" { // checkpoints are those of the main conversation
		return err
	}
	sum := prompt.ParseSummary(resp.Text)
	number, at, err := c.session.Keep(sum.Title, "# "+sum.Title+"\n\n"+sum.Text+"\n")
	if err != nil {
		c.logs.Warn("the summary was not kept as a file", "err", err)
		return nil
	}
	k.checkpoint = checkpoint{number, at}
	return nil
}
