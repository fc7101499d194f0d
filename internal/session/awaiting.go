package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// awaiting is the state of a run that waits for sub-agents in the background. Such a run
// follows another run, and calls the main agent when there is something to report to it.
type awaiting struct {
	after turn.Outcome // of the run before
	// goesOn is true if the model is called when a sub-agent has ended. Otherwise the run
	// only waits until all have ended, after a failure or an abort.
	goesOn bool
}

// await starts a run after this one that waits for the sub-agents that work, and reports whether it has
// started one. records says whether the log can be written and the session is not closing.
func (r *run) await(out turn.Outcome, records bool) bool {
	s := r.s
	goesOn := records && !out.Aborted && out.Err == nil && out.Stopped == nil
	if w := r.awaits; w != nil && !w.goesOn {
		goesOn = false
	}
	if working, report := s.agents.Working(); working == 0 && (!goesOn || !report) {
		return false
	}
	if s.run != nil {
		s.log.Notify("", &wire.AssistantIdle{Aborted: wire.Optional(out.Aborted)})
	}
	next := s.newRun(wire.Send{RequestHeaders: r.headers, HeadersBy: string(r.headersBy)})
	next.id, next.origin, next.format = r.id, r.origin, r.format
	next.budget, next.ledger, next.deadline = r.budget, r.ledger, r.deadline
	if w := r.awaits; w != nil && w.after.Aborted {
		out.Aborted = true
	}
	next.awaits = &awaiting{out, goesOn}
	ctx, cancel := context.WithCancelCause(context.Background())
	if next.cancel, next.ended = cancel, r.ended; next.ended == nil { // a sub-agent's
		next.ended = make(chan struct{})
	}
	next.start(ctx)
	return true
}

// awaitAgents waits until there is something to report to the main agent, and reports whether
// there is. It returns false when a message waits, which the next run sends, and when all
// sub-agents have ended. After an abort it waits for those that are being stopped.
func (r *run) awaitAgents(ctx context.Context) bool {
	over := ctx.Done()
	for {
		ready, goesOn := true, false
		var news <-chan struct{}
		_ = r.s.log.Post(context.Background(), func() error { // also after an abort, and while the session closes
			a := r.s.agents
			if over == nil {
				a.Stop()
			}
			working, report := a.Working()
			message := r.s.queue.Ready() && over != nil && !r.s.log.Closing()
			goesOn = over != nil && r.awaits.goesOn && report && !message
			ready = goesOn || working == 0 || message
			news = a.News()
			return nil
		})
		if ready || news == nil {
			return goesOn
		}
		select {
		case <-news:
		case <-over:
			over = nil
		}
	}
}
