package web

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// openSession is a session that the door has open, or is about to open. It belongs to
// the request that has acquired it, except for the fields that Door.mu guards. Between
// requests nobody reads its events; they wait in the tail.
type openSession struct {
	id string

	busy bool      // guarded by Door.mu
	used time.Time // guarded by Door.mu

	sessionView
}

// sessionView is what the door knows about a session from the events that it has read
// since it opened the session.
type sessionView struct {
	client     *session.Client // nil until the session is open
	alone      bool            // nobody can be asked, as the session's settings say
	acts       func()          // called when a tool begins; may be nil
	fresh      bool            // the session was created for this request
	unanswered                 // according to the log
	open       []question      // asked and not answered, the oldest first
	working    bool            // a run is under way
	reader     *follow.Reader  // nil until the first event is read
	sources    sources         // of the run
}

// closed reports whether another client has closed the session.
func (s *openSession) closed() bool {
	if s.client == nil {
		return false
	}
	select {
	case <-s.client.Session().Closed():
		return true
	default:
		return false
	}
}

// events yields the events after those that were read before, and takes note of each.
func (s *openSession) events(ctx context.Context) iter.Seq2[follow.Event, error] {
	if s.reader == nil {
		s.reader = follow.NewReader(s.client.Tail())
	}
	return func(yield func(follow.Event, error) bool) {
		for e, err := range s.reader.Events(ctx) {
			switch {
			case errors.Is(err, eventlog.ErrClosed):
				err = refused("closed", "The conversation was closed while its answer was under way. Ask again.")
			case err == nil:
				s.learn(e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// readUntil reads events until enough, which it asks after each.
func (s *openSession) readUntil(ctx context.Context, enough func() bool) error {
	for _, err := range s.events(ctx) {
		if err != nil || enough() {
			return err
		}
	}
	return nil
}

// catchUp reads the events since the request before.
func (s *openSession) catchUp(ctx context.Context) error {
	if !s.client.Tail().Pending() {
		return nil
	}
	return s.readUntil(ctx, func() bool { return !s.client.Tail().Pending() })
}

// rest reads events until no run is under way.
func (s *openSession) rest(ctx context.Context) error {
	if !s.working {
		return nil
	}
	return s.readUntil(ctx, func() bool { return !s.working })
}

// learn takes over what an event says about open questions and the run.
func (s *openSession) learn(e follow.Event) {
	if e.Type == "tool.execution_start" && s.acts != nil {
		s.acts()
	}
	if e.AgentID != "" && e.Type != "permission.requested" && e.Type != "permission.completed" {
		return
	}
	s.unanswered.learn(e.Event)
	switch e.Type {
	case "permission.requested", "user_input.requested":
		s.put(e)
	case "permission.completed", "user_input.completed":
		id := e.Get("requestId").Text()
		s.open = slices.DeleteFunc(s.open, func(q question) bool { return q.id == id })
	case "tool.execution_start", "tool.execution_complete":
		s.sources.take(e)
	case "assistant.message":
		s.sources.quote(e)
	case "user.message":
		if e.Get("delivery").Text() != "steering" { // a steering message belongs to the run under way
			s.sources = sources{}
		}
	case "assistant.turn_start":
		s.working = true
	case "session.idle":
		s.open, s.unanswered, s.working = nil, unanswered{}, false
	}
}

// put adds a question, once: a session repeats its open questions to each new client.
func (s *openSession) put(e follow.Event) {
	q, ok := readQuestion(e.Event, e.Cwd)
	if !ok || s.alone || slices.ContainsFunc(s.open, func(have question) bool { return have.id == q.id }) {
		return
	}
	if !q.permission {
		i := slices.IndexFunc(s.questions, func(a askCall) bool { return a.call == q.call })
		if i < 0 {
			return // its tool call is unknown
		}
		q.start = s.questions[i].start
	}
	s.open = append(s.open, q)
}

// asks returns the question that the user sees next, if there is one and no event is
// waiting to be read before it.
func (s *openSession) asks() (question, bool) {
	if len(s.open) == 0 || s.client.Tail().Pending() {
		return question{}, false
	}
	return s.open[0], true
}

// await reads events until the question is there whose tool.execution_start has the id
// start. A session that was resumed asks it again after a while.
func (s *openSession) await(ctx context.Context, start string) (question, error) {
	for {
		i := slices.IndexFunc(s.open, func(q question) bool { return !q.permission && q.start == start })
		if i >= 0 {
			return s.open[i], nil
		}
		if !s.working {
			return question{}, errSettled
		}
		if err := s.readUntil(ctx, func() bool { return true }); err != nil {
			return question{}, err
		}
	}
}

// errSettled refuses a decision on a question that is no longer open.
var errSettled = refused("confirmation_settled", "This was decided already, or the run that asked has ended, so nothing was done.")
