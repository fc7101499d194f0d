package web

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// askUser is the tool with which a model asks the user.
const askUser = "ask_user"

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
	reader     timeline.Reader
	sources    sources // of the run
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

// heard is an event and the row that a user reads of it.
type heard struct {
	wire.Event
	row  timeline.Row
	cwd  string // the session's working directory at that time
	data wire.Raw
}

// read reads events until each returns true or fails.
func (s *openSession) read(ctx context.Context, each func(h heard) (enough bool, err error)) error {
	for rec, err := range s.client.Tail().Records(ctx) {
		switch {
		case errors.Is(err, eventlog.ErrClosed):
			return refused("closed", "The conversation was closed while its answer was under way. Ask again.")
		case err != nil && ctx.Err() != nil:
			return stopped(ctx)
		case err != nil:
			return err
		}
		e, err := wire.ParseEvent(rec.AppendJSON(nil))
		if err != nil {
			return err
		}
		h := heard{Event: e, row: s.reader.Add(e), cwd: s.reader.Cwd(), data: wire.Raw(e.Data)}
		s.learn(h)
		if enough, err := each(h); enough || err != nil {
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
	return s.read(ctx, func(heard) (bool, error) { return !s.client.Tail().Pending(), nil })
}

// rest reads events until no run is under way.
func (s *openSession) rest(ctx context.Context) error {
	if !s.working {
		return nil
	}
	return s.read(ctx, func(heard) (bool, error) { return !s.working, nil })
}

// learn takes over what an event says about open questions and the run.
func (s *openSession) learn(h heard) {
	if h.Type == "tool.execution_start" && s.acts != nil {
		s.acts()
	}
	if h.AgentID != "" && h.Type != "permission.requested" && h.Type != "permission.completed" {
		return
	}
	s.unanswered.learn(h.Event)
	switch h.Type {
	case "permission.requested", "user_input.requested":
		s.put(h)
	case "permission.completed", "user_input.completed":
		id := h.data.Get("requestId").Text()
		s.open = slices.DeleteFunc(s.open, func(q question) bool { return q.id == id })
	case "tool.execution_start", "tool.execution_complete":
		s.sources.take(h)
	case "assistant.message":
		s.sources.quote(h)
	case "user.message":
		if h.data.Get("delivery").Text() != "steering" { // a steering message belongs to the run under way
			s.sources = sources{}
		}
	case "assistant.turn_start":
		s.working = true
	case "session.idle":
		s.open, s.unanswered, s.working = nil, unanswered{}, false
	}
}

// put adds a question, once: a session repeats its open questions to each new client.
func (s *openSession) put(h heard) {
	q, ok := readQuestion(h.Event, s.reader.Cwd())
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
		if err := s.read(ctx, func(heard) (bool, error) { return true, nil }); err != nil {
			return question{}, err
		}
	}
}

// errSettled refuses a decision on a question that is no longer open.
var errSettled = refused("confirmation_settled", "This was decided already, or the run that asked has ended, so nothing was done.")
