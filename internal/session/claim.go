package session

import (
	"context"
	"errors"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Several processes may have a session open, as the SDKs' own tests do; one at a
// time works in it. See docs/decisions/0008 and 0017.

// ownership is the claim of this process on the log. It belongs to the session's
// goroutine.
type ownership struct {
	hold eventlog.Hold // nil without a claim
	// kept ends the time for which a claim is kept that nothing needs; nil while something
	// works under it, and without a claim. See [eventlog.Keeping].
	kept *time.Timer
	// lost is why the claim was lost, while a run that worked under it ends: nothing is
	// recorded until that has ended. After that the next command claims again.
	lost error
	// unfinished is set when something may be open that nothing finishes: a claim was lost,
	// another process has recorded something, or history was removed. It is closed after
	// the next claim; see [orphans.finish].
	unfinished bool
	// changes counts the changes beside the log that callers make now, under the claim.
	changes int
}

// claim makes this process the one that works in the session, and reads the events
// that another has recorded since this one was idle. [fault.Conflict] names the process
// that is at work, or reports that it has taken the session over from a run here.
func (j *journal) claim() error {
	switch {
	case j.own.lost != nil:
		return j.own.lost
	case j.own.hold != nil && j.own.kept == nil:
		return nil
	case j.own.hold != nil: // kept, so that nobody has recorded anything
		j.own.use()
		return j.claimed()
	}
	ctx, done := bounded(j.Log.Keeping().ClaimWait)
	defer done()
	hold, err := j.Log.Claim(ctx, eventlog.ThisProcess())
	if err != nil {
		if fault.KindOf(err) == fault.NotFound { // another process has deleted the session
			j.s.life.discard = true
			j.s.startClosing()
			return j.s.closedError()
		}
		return j.late(err, "wait until the storage answers, then try again")
	}
	j.own.hold = hold
	if j.s.state.Seq < j.Log.Len() { // also if an earlier try to read it has failed
		j.own.unfinished = true // the other process may have died at work
		if err := j.replay(j.s.state.Seq + 1); err != nil {
			j.endClaim()
			j.Log.Release()
			return err
		}
		j.s.permissions.Load()
	}
	return j.claimed()
}

// claimed closes what is open and nothing finishes.
func (j *journal) claimed() error {
	if j.s.run != nil { // [thread.draft] closes what is open then
		return nil
	}
	return orphansOf(j.s).finish()
}

// gone is closed when the claim of this process has been lost; nil without a claim. [attend] waits for it.
func (o *ownership) gone() <-chan struct{} {
	if o.hold == nil {
		return nil
	}
	return o.hold.Lost()
}

// loseClaim ends the run and the compaction that worked under a claim that is lost. They
// record nothing more.
func (j *journal) loseClaim() {
	why := j.own.hold.Err()
	j.s.logs.Warn("the claim on the session was lost", "err", why)
	j.endClaim()
	j.own.unfinished = true
	if j.s.run != nil {
		j.own.lost = why
		j.s.run.cancel(why)
	}
	j.s.compact.GiveUp()
}

// finishesLater reports whether the next claim closes, in the log, what is open now.
func (j *journal) finishesLater() bool {
	return j.own.unfinished && j.broken == nil && !j.s.life.discard
}

// endClaim forgets the claim.
func (j *journal) endClaim() {
	j.own.use()
	j.own.hold = nil
}

// release lets other processes work in the session, unless something works in it here. Where
// the store says so, it keeps the claim for a while; see [ownership.spare]. It
// returns [fault.NotFound] if another process has deleted the session meanwhile, so that
// what was recorded is lost.
func (j *journal) release() error {
	if j.own.hold == nil || j.works() {
		return nil
	}
	if keep := j.Log.Keeping().Keep; keep > 0 && !j.own.isWanted() {
		j.own.use()
		j.own.kept = time.NewTimer(keep)
		return nil
	}
	return j.giveBack()
}

// works reports whether something works under the claim.
func (j *journal) works() bool {
	return j.s.run != nil || j.s.compact.Busy() || j.own.changes != 0
}

// use ends the time for which the claim is kept, because something needs it.
func (o *ownership) use() {
	if o.kept != nil {
		o.kept.Stop()
		o.kept = nil
	}
}

// isWanted reports whether another owner has asked for the claim.
func (o *ownership) isWanted() bool {
	select {
	case <-o.hold.Wanted():
		return true
	default:
		return false
	}
}

// spare returns what is ready when a claim is to be given back that is kept without need:
// its time is over, or it is wanted. Both are nil, and never ready, while something needs it.
func (o *ownership) spare() (over <-chan time.Time, wanted <-chan struct{}) {
	if o.hold == nil || o.kept == nil {
		return nil, nil
	}
	return o.kept.C, o.hold.Wanted()
}

// giveBack gives back the claim.
func (j *journal) giveBack() error {
	hold := j.own.hold
	j.endClaim()
	j.Log.Release()
	if err := hold.Err(); fault.KindOf(err) == fault.NotFound {
		return err
	}
	return nil
}

// bounded returns the context of a call that a store may take so long for; 0 is without a bound.
// No caller ends it: what is recorded does not depend on one that still waits for it.
func bounded(bound time.Duration) (context.Context, context.CancelFunc) {
	if bound <= 0 {
		return context.Background(), func() {}
	}
	return context.WithTimeout(context.Background(), bound)
}

// late makes a fault of the error of a call that took too long.
func (j *journal) late(err error, hint string) error {
	if known := new(fault.Error); errors.As(err, &known) || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &fault.Error{Op: "session.record", On: j.s.id, Kind: fault.Unavailable, Hint: hint, Err: errLate}
}

var errLate = errors.New("the storage of the session has not answered in time")

// openElsewhere names another process that has the session open; "" if there is none,
// or if that is unknown. A log that is being closed in this process does not count.
func (j *journal) openElsewhere() string {
	if other, _ := j.Log.Others(); other != eventlog.ThisProcess() {
		return other
	}
	return ""
}

// replay applies the records of the log from position from on. History that was removed
// leaves the conversation later, with [Session.rebuild].
func (j *journal) replay(from uint64) error {
	for rec, err := range j.Log.Read(context.Background(), from) {
		if err != nil {
			return err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			j.s.state.Apply(rec.Pos, e)
			if name := eventlog.Reference(rec.JSON); name != "" {
				j.s.state.AddIncomplete(name, e)
			}
		} else {
			j.s.state.ApplyUnreadable(rec.Pos)
		}
	}
	j.s.shareCwd()
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	j.out.last = j.s.state.LastID
	return nil
}
