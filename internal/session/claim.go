package session

import (
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Several processes may have a session open, as the SDKs' own tests do; one at a
// time works in it. See docs/decisions/0008.

// claim makes this process the one that works in the session, and takes in what
// another has recorded since this one was idle. [fault.Conflict] names the process
// that is at work.
func (s *Session) claim() error {
	if s.claimed {
		return nil
	}
	fresh, err := s.log.Claim()
	if err != nil {
		if fault.KindOf(err) == fault.NotFound { // deleted there: it is gone here, too
			s.discard = true
			s.startClosing()
			return s.gone()
		}
		return err
	}
	s.claimed = true
	if fresh == 0 {
		return nil
	}
	if err := s.replay(s.state.Seq + 1); err != nil {
		return err
	}
	if s.run != nil || s.state.Torn() { // [Session.rebuild] closes what is open then
		return nil
	}
	if err := s.closeSummary(); err != nil { // it may have died at work
		return err
	}
	return s.closeOrphans()
}

// releaseWhenIdle lets other processes work in the session.
func (s *Session) releaseWhenIdle() {
	if s.claimed && s.run == nil && s.compacting == nil {
		s.claimed = false
		s.log.Release()
	}
}

// replay applies the records of the log from position from on. History that was removed
// leaves the conversation later, with [Session.rebuild].
func (s *Session) replay(from uint64) error {
	for rec, err := range s.log.Read(from) {
		if err != nil {
			return err
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			s.state.Apply(rec.Seq, e)
		} else {
			s.state.ApplyUnreadable(rec.Seq)
		}
	}
	s.situate()
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	s.out.last = s.state.LastID
	return nil
}
