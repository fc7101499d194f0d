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

// askUser is the tool by which a model asks its person.
const askUser = "ask_user"

// seat is the door's place in a session. What is in it belongs to the request that has
// taken it, but for what [Door.mu] guards. Between requests nobody reads: what happens
// waits in the tail.
type seat struct {
	id string

	busy bool      // guarded by Door.mu
	used time.Time // guarded by Door.mu

	visit
}

// visit is what the door knows of a session since it has entered it, by the events that
// it has read so far.
type visit struct {
	client   *session.Client // nil before
	alone    bool            // nobody is there to be asked, and the session knows
	acts     func()          // called when a tool begins; may be nil
	fresh    bool            // the session was made for this request
	standing                 // as the log has it
	open     []question      // that the session has put and nobody has answered, the oldest first
	working  bool            // a run is under way
	reader   timeline.Reader
	sources  sources // of the run
}

// gone reports whether the session has left memory without us.
func (s *seat) gone() bool {
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

// heard is an event and what a person reads of it.
type heard struct {
	wire.Event
	row  timeline.Row
	cwd  string // of the session at that time
	data wire.Raw
}

// read takes in events until each says that it is enough, or fails.
func (s *seat) read(ctx context.Context, each func(h heard) (enough bool, err error)) error {
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

// catchUp takes in what has happened since the request before.
func (s *seat) catchUp(ctx context.Context) error {
	if !s.client.Tail().Pending() {
		return nil
	}
	return s.read(ctx, func(heard) (bool, error) { return !s.client.Tail().Pending(), nil })
}

// rest reads until no run is under way.
func (s *seat) rest(ctx context.Context) error {
	if !s.working {
		return nil
	}
	return s.read(ctx, func(heard) (bool, error) { return !s.working, nil })
}

// learn keeps what the session waits for.
func (s *seat) learn(h heard) {
	if h.Type == "tool.execution_start" && s.acts != nil {
		s.acts()
	}
	if h.AgentID != "" && h.Type != "permission.requested" && h.Type != "permission.completed" {
		return
	}
	s.standing.learn(h.Event)
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
		if h.data.Get("delivery").Text() != "steering" { // else it belongs to the run
			s.sources = sources{}
		}
	case "assistant.turn_start":
		s.working = true
	case "session.idle":
		s.open, s.standing, s.working = nil, standing{}, false
	}
}

// put notes a question, once: a session repeats those that are open to who comes.
func (s *seat) put(h heard) {
	q, ok := readQuestion(h.Event, s.reader.Cwd())
	if !ok || s.alone || slices.ContainsFunc(s.open, func(have question) bool { return have.id == q.id }) {
		return
	}
	if !q.permission {
		i := slices.IndexFunc(s.questions, func(a asking) bool { return a.call == q.call })
		if i < 0 {
			return // of no call that we know of
		}
		q.start = s.questions[i].start
	}
	s.open = append(s.open, q)
}

// asks returns the question that a person is to see next, if there is one and nothing
// else is to be read before it.
func (s *seat) asks() (question, bool) {
	if len(s.open) == 0 || s.client.Tail().Pending() {
		return question{}, false
	}
	return s.open[0], true
}

// await reads until the question whose call began with the event start is there. A
// session that was resumed comes to it in its own time.
func (s *seat) await(ctx context.Context, start string) (question, error) {
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

// errSettled is for an answer that nobody waits for.
var errSettled = refused("confirmation_settled", "This was decided already, or the run that asked has ended, so nothing was done.")
