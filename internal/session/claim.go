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
	hold     eventlog.Hold // nil without a claim
	released chan struct{} // closed when hold is given back or lost
	// lost is why the claim was lost, while a run that worked under it ends: nothing is
	// recorded until that has ended. After that the next command claims again.
	lost error
	// unfinished is set when a claim was lost: what that run has left open is closed
	// after the next claim, unless the other owner has closed it.
	unfinished bool
}

// claim makes this process the one that works in the session, and takes in what
// another has recorded since this one was idle. [fault.Conflict] names the process
// that is at work, or says that it has taken the session over from a run here.
func (s *Session) claim() error {
	switch {
	case s.own.lost != nil:
		return s.own.lost
	case s.own.hold != nil:
		return nil
	}
	hold, fresh, err := s.log.Claim(context.Background(), eventlog.ThisProcess())
	if err != nil {
		if fault.KindOf(err) == fault.NotFound { // deleted there: it is gone here, too
			s.discard = true
			s.startClosing()
			return s.gone()
		}
		return err
	}
	released := make(chan struct{})
	s.own.hold, s.own.released = hold, released
	s.reg.running.Go(func() { s.watch(hold, released) })
	if fresh > 0 {
		if err := s.replay(s.state.Seq + 1); err != nil {
			return err
		}
	} else if !s.own.unfinished {
		return nil
	}
	if s.run != nil || s.state.Torn() { // [Session.rebuild] closes what is open then
		return nil
	}
	s.own.unfinished = false
	if err := s.closeSummary(); err != nil { // it may have died at work
		return err
	}
	return s.closeOrphans()
}

// watch waits until a claim is given back, or lost: then the session's goroutine ends
// what works under it.
func (s *Session) watch(hold eventlog.Hold, released <-chan struct{}) {
	select {
	case <-released:
		return
	case <-hold.Lost():
	}
	lose := func() {
		if s.own.hold == hold {
			s.loseClaim()
		}
	}
	select {
	case s.mailbox <- lose:
	case <-released:
	case <-s.closed:
	}
}

// loseClaim ends the run and the compaction that worked under a claim that is lost. They
// record nothing more.
func (s *Session) loseClaim() {
	why := s.own.hold.Err()
	s.logs.Warn("the claim on the session was lost", "err", why)
	s.endClaim()
	s.own.unfinished = true
	if s.run != nil {
		s.own.lost = why
		s.run.cancel(why)
	}
	if s.compacting != nil {
		s.compacting.cancel()
	}
}

// endClaim forgets the claim and ends the goroutine that watches it.
func (s *Session) endClaim() {
	if s.own.hold != nil {
		close(s.own.released)
		s.own.hold = nil
	}
}

// releaseWhenIdle lets other processes work in the session.
func (s *Session) releaseWhenIdle() {
	if s.own.hold != nil && s.run == nil && s.compacting == nil {
		s.endClaim()
		s.log.Release()
	}
}

// openElsewhere names another process that has the session open; "" if there is none,
// or if nobody can tell. A log that is being closed in this process does not count.
func (s *Session) openElsewhere() string {
	if other, _ := s.log.Others(); other != eventlog.ThisProcess() {
		return other
	}
	return ""
}

// replay applies the records of the log from position from on. History that was removed
// leaves the conversation later, with [Session.rebuild].
func (s *Session) replay(from uint64) error {
	for rec, err := range s.log.Read(context.Background(), from) {
		if err != nil {
			return err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			s.state.Apply(rec.Pos, e)
		} else {
			s.state.ApplyUnreadable(rec.Pos)
		}
	}
	s.situate()
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.out.last = s.state.LastID
	return nil
}
