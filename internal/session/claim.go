package session

import (
	"context"

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
	case j.own.hold != nil:
		return nil
	}
	hold, err := j.Log.Claim(context.Background(), eventlog.ThisProcess())
	if err != nil {
		if fault.KindOf(err) == fault.NotFound { // another process has deleted the session
			j.s.life.discard = true
			j.s.startClosing()
			return j.s.closedError()
		}
		return err
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
func (j *journal) endClaim() { j.own.hold = nil }

// release lets other processes work in the session, unless something works in it here. It
// returns [fault.NotFound] if another process has deleted the session meanwhile, so that
// what was recorded is lost.
func (j *journal) release() error {
	hold := j.own.hold
	if hold == nil || j.s.run != nil || j.s.compact.Busy() || j.own.changes != 0 {
		return nil
	}
	j.endClaim()
	j.Log.Release()
	if err := hold.Err(); fault.KindOf(err) == fault.NotFound {
		return err
	}
	return nil
}

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
