package journal

import (
	"cmp"
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
	// the next claim, by [Host].Claimed.
	unfinished bool
	// changes counts the changes beside the log that callers make now, under the claim.
	changes int
}

// Claim makes this process the one that works in the session, and reads the events
// that another has recorded since this one was idle. [fault.Conflict] names the process
// that is at work, or reports that it has taken the session over from a run here.
func (j *Journal) Claim() error {
	switch {
	case j.own.lost != nil:
		return j.own.lost
	case j.own.hold != nil && j.own.kept == nil:
		return nil
	case j.own.hold != nil: // kept, so that nobody has recorded anything
		j.own.use()
		return j.opts.Host.Claimed(false)
	}
	ctx, done := bounded(j.log.Keeping().ClaimWait)
	defer done()
	hold, err := j.log.Claim(ctx, eventlog.ThisProcess())
	if err != nil {
		if fault.KindOf(err) == fault.NotFound { // another process has deleted the session
			j.opts.Host.Deleted()
			return j.Gone()
		}
		return j.opts.late(err, "wait until the storage answers, then try again")
	}
	j.own.hold = hold
	news := j.state.Seq < j.log.Len() // also if an earlier try to read it has failed
	if news {
		j.own.unfinished = true // the other process may have died at work
		if err := j.Replay(j.state.Seq + 1); err != nil {
			j.ForgetClaim()
			j.log.Release()
			return err
		}
	}
	return j.opts.Host.Claimed(news)
}

// Lost is closed when the claim of this process has been lost; nil, and never closed, without
// a claim. The session's goroutine waits for it, and calls [Journal.LoseClaim].
func (j *Journal) Lost() <-chan struct{} {
	if j.own.hold == nil {
		return nil
	}
	return j.own.hold.Lost()
}

// LoseClaim ends the run and the compaction that worked under a claim that is lost. They
// record nothing more.
func (j *Journal) LoseClaim() {
	why := j.own.hold.Err()
	j.opts.Logger.Warn("the claim on the session was lost", "err", why)
	j.ForgetClaim()
	j.own.unfinished = true
	if j.opts.Host.ClaimLost(why) {
		j.own.lost = why
	}
}

// Cannot is why a run that is under way cannot record anything more: the journal is broken, or
// the claim that the run worked under is lost. nil if it can.
func (j *Journal) Cannot() error { return cmp.Or(j.broken, j.own.lost) }

// Rest notes that the run has ended that worked under the claim. If that was lost, the next
// command claims again.
func (j *Journal) Rest() { j.own.lost = nil }

// Unfinished reports whether something may be open that nothing finishes: a claim was lost,
// another process has recorded something, or SetUnfinished says so.
func (j *Journal) Unfinished() bool { return j.own.unfinished }

// SetUnfinished says whether something may be open that nothing finishes.
func (j *Journal) SetUnfinished(on bool) { j.own.unfinished = on }

// ForgetClaim notes that this process has no claim any more. It does not give one back: the claim was lost, or
// the caller gives it back, or closes the stream, which ends it.
func (j *Journal) ForgetClaim() {
	j.own.use()
	j.own.hold = nil
}

// Release lets other processes work in the session, unless something works in it here. Where
// the store says so, it keeps the claim for a while; see [Journal.Spare]. It
// returns [fault.NotFound] if another process has deleted the session meanwhile, so that
// what was recorded is lost.
func (j *Journal) Release() error {
	if j.own.hold == nil || j.works() {
		return nil
	}
	if keep := j.log.Keeping().Keep; keep > 0 && !j.own.isWanted() {
		if j.own.kept == nil { // else the command has not needed the claim, and its time goes on
			j.own.kept = time.NewTimer(keep)
		}
		return nil
	}
	return j.giveBack()
}

// works reports whether something works under the claim.
func (j *Journal) works() bool { return j.own.changes != 0 || j.opts.Host.Busy() }

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

// Spare returns what is ready when a claim is to be given back that is kept without need:
// its time is over, or it is wanted. Both are nil, and never ready, while something needs it.
// The session's goroutine waits for them, and calls [Journal.GiveBackSpare].
func (j *Journal) Spare() (over <-chan time.Time, wanted <-chan struct{}) {
	if j.own.hold == nil || j.own.kept == nil {
		return nil, nil
	}
	return j.own.kept.C, j.own.hold.Wanted()
}

// GiveBackSpare gives back a claim that was kept without need.
func (j *Journal) GiveBackSpare() {
	if j.own.use(); !j.works() {
		_ = j.giveBack() // the next command reports a deletion
	}
}

// giveBack gives back the claim.
func (j *Journal) giveBack() error {
	hold := j.own.hold
	j.ForgetClaim()
	j.log.Release()
	if err := hold.Err(); fault.KindOf(err) == fault.NotFound {
		return err
	}
	return nil
}

// bounded returns the context of a call of the store, which ends after bound; 0 is never. It does not end with
// the client's call that needs it, because an event is recorded whether or not that client still waits.
func bounded(bound time.Duration) (context.Context, context.CancelFunc) {
	if bound <= 0 {
		return context.Background(), func() {}
	}
	return context.WithTimeout(context.Background(), bound)
}

// late makes a fault of the error of a call that took too long.
func (o *Options) late(err error, hint string) error {
	if known := new(fault.Error); errors.As(err, &known) || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &fault.Error{Op: "session.record", On: o.ID, Kind: fault.Unavailable, Hint: hint, Err: errLate}
}

var errLate = errors.New("the storage of the session has not answered in time")

// OpenElsewhere names another process that has the session open; "" if there is none,
// or if that is unknown. A log that is being closed in this process does not count.
func (j *Journal) OpenElsewhere() string {
	if other, _ := j.log.Others(); other != eventlog.ThisProcess() {
		return other
	}
	return ""
}

// Replay applies the records of the log from position from on; 1 is the first. History that was removed
// leaves the conversation later, with [state.State.Rebuild]. It is called on the session's
// goroutine, or while the session is opened.
func (j *Journal) Replay(from uint64) error {
	for rec, err := range j.log.Read(context.Background(), from) {
		if err != nil {
			return err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			j.state.Apply(rec.Pos, e)
			if name := eventlog.Reference(rec.JSON); name != "" {
				j.state.AddIncomplete(name, e)
			}
		} else {
			j.state.ApplyUnreadable(rec.Pos)
		}
	}
	j.shareCwd()
	j.out.mu.Lock()
	defer j.out.mu.Unlock()
	j.out.last = j.state.LastID
	return nil
}
