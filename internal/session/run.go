package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/queue"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/stack"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// run is one run of the loop on its own goroutine: from a message to the session.idle
// that ends it. It owns the threads of its conversations.
type run struct {
	s         *Session
	cancel    context.CancelCauseFunc // why: nil for an abort
	ended     chan struct{}           // closed when the run is over and its idle was sent
	id        string                  // groups its model calls for the provider, and its events
	origin    string                  // the id of the message that it answers; "" if there is none
	format    *model.ResponseFormat   // of the answer; nil: free text
	choice    provider.Choice         // what the run was started with
	autopilot wire.Autopilot          // what the client wants in autopilot
	limited   bool                    // the session had a limit of AI credits when the run began
	switched  bool                    // the user was asked whether it continues on another model
	failing   []string                // models that could not be called; of the goroutine of the turns, or of the session while that waits for it
	first     string                  // the id in the queue of what it begins with, if that is not recorded yet
	begins    string                  // the id of the message that it begins with; "" for none, and for a command
	prompt    string                  // of that message, as it was sent
	slash     string                  // a slash command, which runs without the model
	delivery  string                  // of that message
	command   string                  // a shell command of the user, which runs without the model
	headers   map[string]string
	headersBy model.Owner
	streaming bool
	budget    *wire.Budget
	ledger    ledger.Ledger // shared with the sub-agents
	deadline  time.Time     // of the budget; zero for none
	large     *wire.LargeOutput
	awaits    *awaiting // for sub-agents; nil for a run that begins with its first turn

	main *thread // the conversation with the main agent

	failed atomic.Pointer[error] // of the model call that is made again; nil if none is

	confirmation offer.Confirmation // of a Copilot Extensions agent

	trace string // the traceparent of its message; "" for none

	mu    sync.Mutex    // guards the rest
	muted bool          // aborted: nothing more of an answer is sent to clients
	begun state.Partial // the answer of the main agent that streams
}

// toolTrace is the traceparent of a tool call that a client runs: of the call's span if spans are
// written, else of the client's span that the run belongs to, "" if there is none.
func (r *run) toolTrace() string {
	switch {
	case r == nil || len(r.trace) > queue.MaxTraceparent:
		return ""
	case r.s.home.Trace != nil:
		return r.s.home.Trace(r.s.id, r.id, r.trace)
	}
	return r.trace
}

// launch starts a run, for a pending message, or, if that has no id, for what is
// recorded already. It is called on the session's goroutine.
func (s *Session) launch(m queue.Message, delivery string) {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := s.newRun(m.Send)
	r.cancel, r.ended, r.delivery = cancel, make(chan struct{}), delivery
	r.id, r.origin = cmp.Or(m.Interaction.Run, r.id), m.Interaction.Origin
	if m.ID != "" {
		r.first, r.origin = m.Item(), cmp.Or(r.origin, m.Item())
	}
	r.begins = r.origin
	if r.prompt = m.Send.Prompt; m.Command {
		r.slash, r.begins, r.origin = m.Send.Prompt, "", ""
	}
	r.start(ctx)
}

// start makes the run the one under way and starts its goroutine.
func (r *run) start(ctx context.Context) {
	s := r.s
	s.run = r
	s.agents.Began(worker{r.main})
	s.log.Go("session.run", func() {
		stack.ReserveDeep()
		r.work(ctx)
	})
}

// newRun makes a run with the settings of now.
func (s *Session) newRun(send wire.Send) *run {
	command := ""
	if send.AgentMode == state.ModeShell {
		command = send.Prompt
	}
	format, _ := provider.ResponseFormat(send.ResponseFormat) // it was checked
	r := &run{
		format: format, s: s, command: command, id: wire.NewID(), headers: send.RequestHeaders, headersBy: model.Owner(send.HeadersBy), streaming: streams(s), budget: s.config.budget, large: s.config.largeOutput,
		autopilot: s.config.autopilot, limited: s.config.maxCredits() > 0, trace: send.Traceparent,
		choice: choiceOf(s), ledger: ledgerOf(s),
	}
	if r.budget != nil && r.budget.TimeoutMs > 0 {
		r.deadline = time.Now().Add(r.budget.Timeout())
	}
	r.main = &thread{run: r, compact: s.compact}
	return r
}

// timed returns a context that ends when the time of the run's budget is over.
func (r *run) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.deadline.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, r.deadline, exhausted("%w", &overtime{r.budget.Timeout()}))
}

// work is the goroutine of the run.
func (r *run) work(ctx context.Context) {
	defer r.cancel(nil)
	planned := r.s.storage.fetchPlan(ctx)
	r.recoverAside(ctx)
	out := r.loop(ctx)
	r.lookAround()
	r.s.storage.storePlan(planned)
	_ = r.s.log.Post(context.Background(), func() error { r.finished(out); return nil }) // an aborted run ends too
}

func (r *run) loop(ctx context.Context) turn.Outcome {
	timed, cancel := r.timed(ctx)
	defer cancel()
	defer r.main.spending.Free()
	out := r.attempt(timed)
	if why := context.Cause(timed); out.Aborted && ctx.Err() == nil && why != nil {
		if failing := r.failed.Load(); failing != nil {
			why = exhausted("%w, while a model call failed and was made again: %s", why, fault.Message(*failing))
		}
		return turn.Outcome{Stopped: why}
	}
	return out
}

// attempt records what the run begins with and runs the loop, again if a hook asks for it
// after a failure. A panic on the way is a failure of the run, not of the process.
func (r *run) attempt(ctx context.Context) (out turn.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			r.s.log.Logger().Error("a run panicked", "panic", fmt.Sprint(p), "stack", trace())
			out = turn.Outcome{Err: fault.New(fault.Internal, "session", r.s.id, "panic: %v", p)}
		}
	}()
	if r.slash != "" {
		return r.s.command.Perform(ctx, r.first, r.slash)
	}
	if r.awaits != nil && !r.awaitAgents(ctx) {
		return turn.Outcome{Aborted: ctx.Err() != nil}
	}
	err := r.s.look(ctx, r.s.discovery.Refresh)
	something, failed := r.open(ctx) // also after an abort: an accepted message is recorded
	if err = cmp.Or(err, failed); err != nil || !something {
		return turn.Outcome{Err: err, Aborted: ctx.Err() != nil}
	}
	if r.command != "" {
		return r.s.Shell().Message(ctx, r.command, r.spill, r.main.Record)
	}
	for tries := 0; ; tries++ {
		out := r.once(ctx)
		if r.recovers(ctx, r.main, out.Err) {
			continue
		}
		if out.Err == nil || ctx.Err() != nil || !r.s.hooks.ErrorOccurred(ctx, hook.Failure{Message: fault.Message(out.Err), ModelCall: model.ErrorOf(out.Err) != nil, Tries: tries}) {
			return out
		}
		if r.main.endpoint.IsExtension() { // it may have acted, and gets a decision once
			return out
		}
	}
}

func (r *run) once(ctx context.Context) turn.Outcome {
	err := r.resolve(ctx)
	if ctx.Err() != nil {
		return turn.Outcome{Aborted: true}
	}
	if err != nil {
		return turn.Outcome{Err: err}
	}
	return turn.Run(ctx, r.main, r.main)
}

// resolve finds where the calls of the main agent's model go. It is not inlined, because its frame of
// 2 KB would stay on the stack for as long as the run waits.
//
//go:noinline
func (r *run) resolve(ctx context.Context) error {
	ep, err := r.s.home.Models.Resolve(ctx, r.choice)
	if err == nil {
		r.main.endpoint = ep
	}
	return err
}

// stop aborts the run; the rest of its answer is not sent to clients. It reports whether
// this call was the first.
func (r *run) stop() (first bool) {
	r.mu.Lock()
	first, r.muted = !r.muted, true
	r.mu.Unlock()
	r.cancel(nil)
	return first
}

// stopped reports whether the run was aborted.
func (r *run) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.muted
}

// abort is the event that ends the run, after [run.stop]. It has what the main agent had written of
// the answer that it was writing.
func (r *run) abort(reason wire.AbortReason) wire.Data {
	event := &wire.Abort{Reason: reason}
	r.mu.Lock()
	defer r.mu.Unlock()
	cut := r.begun.CutOff()
	if strings.TrimSpace(cut.Content) == "" {
		return event
	}
	return wire.WithJSON(event, wire.FieldCutOff, cut)
}

// complete says that the answer that streams is complete and about to be recorded. It reports false
// if the run was aborted before: then the answer was cut off, and is not recorded a second time.
func (r *run) complete() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.muted {
		return false
	}
	r.begun = state.Partial{}
	return true
}

func isAnswer(event wire.Data) bool { return event.Type() == "assistant.message" }

var errNotRecorded error = &fault.Error{
	Op: "session", Kind: fault.Unavailable, Err: errors.New("the run ended before the result could be recorded"),
}

// finished ends the run: the next message in the queue starts the next run, or the error
// and then the idle events are sent. It runs on the session's goroutine.
func (r *run) finished(out turn.Outcome) {
	s := r.s
	s.config.resumed = false
	cannot := s.log.Cannot()           // record anything more
	if cannot != nil && !r.stopped() { // that canceled the run, not the user
		out = turn.Outcome{Err: cannot}
	}
	again := false
	_ = s.log.Guard(func() error { again = r.conclude(out, cannot); return nil })
	if again {
		if s.run.ended != r.ended { // else that of the run goes on, while sub-agents work
			close(r.ended)
		}
		return
	}
	s.run = nil
	s.agents.Rest()
	if r.awaits != nil && r.awaits.after.Aborted {
		out.Aborted = true
	}
	s.life.ending.ran(out)
	s.discovery.Forget()
	if deleted := s.log.Release(); deleted != nil { // else another process may continue as soon as the idle is sent
		s.failed(deleted, "")
	}
	s.log.Use()
	s.log.Notify("", &wire.AssistantIdle{Aborted: wire.Optional(out.Aborted)})
	updateLists(s)
	s.life.glance()
	s.log.Emit("", &wire.SessionIdle{Aborted: wire.Optional(out.Aborted), Mode: idleMode(s)})
	s.log.Rest() // the next command claims again
	s.home.Registrar.Publish(lifecycleOf(s, wire.LifecycleUpdated))
	close(r.ended)
}

// idleMode is the mode of the session, as session.idle reports it. SDKs take an idle in
// autopilot for one after which the agent goes on, and every idle is the last: so it has none.
func idleMode(s *Session) *wire.Mode {
	if mode := wire.Mode(s.log.State().SessionMode()); mode != modeAutopilot {
		return &mode
	}
	return nil
}

// conclude closes what a run has left open, reports its error, and starts the run of the
// next message in the queue or, while sub-agents work, one that waits for them. It reports
// whether there is one. cannot is why nothing can be recorded any more, nil if it can.
func (r *run) conclude(out turn.Outcome, cannot error) (again bool) {
	s := r.s
	s.requests.Forget()
	if cannot == nil {
		if err := s.metrics.Checkpoint(); err != nil {
			s.log.Logger().Warn("what the session has cost was not recorded", "err", err)
		}
	}
	s.tools.external.Finish("", cmp.Or(cannot, out.Err, errNotRecorded))
	switch {
	case out.Aborted:
	case out.Err != nil:
		s.failed(out.Err, r.origin)
		if s.config.holds && cannot == nil && !s.log.Closing() && r.repeatable() {
			s.queue.HoldFailed()
		}
	case out.Stopped != nil:
		s.log.RecordOrEmit("", stoppedEarly(out.Stopped))
	}
	records := !s.log.Closing() && cannot == nil
	if records && s.log.State().Main.Unanswered { // nothing else in the log says that the run has ended
		if err := s.log.Record("", runEnded("The run has ended.")); err != nil {
			s.failed(err, r.origin)
		}
	}
	if !records || out.Aborted {
		s.agents.Stop()
	}
	return records && s.queue.StartNext() || r.await(out, records)
}

// repeatable reports whether the run goes on if it is tried again after a failure. A command is not
// tried again. An agent may have acted, and its message is sent again by the user alone.
func (r *run) repeatable() bool {
	return r.command == "" && r.slash == "" && !r.main.endpoint.IsExtension()
}

// runEnded is the event that ends a run in the log whose last turn does not show it; message is for users.
func runEnded(message string) wire.Data {
	return &wire.SessionInfo{InfoType: wire.InfoRunEnded, Message: message}
}

// failed reports why a run failed. message is the id of the one that it answers, "" if there is none.
func (s *Session) failed(err error, message string) {
	level := slog.LevelInfo // the clients get the error, and can act
	switch {
	case fault.IsPanic(err):
		level = slog.LevelError // a mistake of this program, whose stack no client gets
	case len(s.clients) == 0:
		level = slog.LevelWarn // no client gets it
	}
	s.log.Logger().Log(context.Background(), level, "a run failed", "err", err)
	s.log.RecordOrEmit("", turn.Failure(err, message))
}
