package session

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/journal"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
)

// Glance returns what the session does now, as of its last event or command. It waits for nothing.
func (s *Session) Glance() listing.Live { return *s.life.seen.Load() }

// Follow subscribes a reader of s that has handled the records up to position after. The reader also gets what other
// processes record; see [eventlog.Log.Follow]. It does not keep the session in memory.
func Follow(s *Session, after uint64) *eventlog.Tail { return journal.Follow(s.log, after) }

// glance brings what [Session.Glance] returns up to date. It is called on the session's goroutine, or before that
// starts: after each function, after each record, and before session.idle, so that what Glance returns is never older
// than an event that a client has.
func (l *lifetime) glance() {
	s := l.s
	now := &listing.Live{
		ID: s.id, Name: s.log.State().Label(), Cwd: s.log.State().Cwd, Model: s.Settings().currentModel(), Doing: listing.Idle,
		Changed: s.log.State().Modified, Waiting: append(s.requests.Listed(), s.questions.Listed()...),
		Clients: len(s.clients), Queued: len(s.log.State().Queue),
	}
	now.Agents, _ = s.agents.Working()
	now.Tokens, now.Cost = s.metrics.Spent()
	switch {
	case s.run != nil && len(now.Waiting) > 0:
		now.Doing = listing.Waiting
	case s.run != nil:
		now.Doing = listing.Working
	}
	if before := l.seen.Load(); before != nil && before.Doing == now.Doing {
		now.Since = before.Since
	} else {
		now.Since = time.Now()
	}
	l.seen.Store(now)
}
