package tui

import (
	"context"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
)

// joined is the session that is shown, and what comes from it.
type joined struct {
	Session
	events  chan received
	calls   <-chan *Call
	retries <-chan Retry
	hangUp  context.CancelFunc
	reading *sync.WaitGroup
	overlap follow.Overlap
}

// received is an event, or the error that has ended them.
type received struct {
	follow.Event
	err error
}

// join enters a session: it shows the end of its conversation and follows it.
func (p *program) join(s Session) {
	ctx, cancel := context.WithCancel(p.gone)
	j := joined{Session: s, events: make(chan received, 256), calls: s.Calls(), retries: s.Retries(), hangUp: cancel, reading: new(sync.WaitGroup)}
	before := p.talk
	p.joined, p.talk, p.queue, p.working = j, cell.New(p.Cells), Queue{}, false
	p.talk.Below(before)
	p.about = Description{Model: p.about.Model, Folder: p.about.Folder}
	if d, err := s.Describe(ctx); err == nil { // only the status line needs it
		p.about = d
	}
	if p.about.Mode != "" {
		p.mode = p.about.Mode
	}
	if !p.about.New {
		p.working = p.about.Working
		if err := p.talk.Resume(p.joined.overlap.Read(s.Records(ctx)), p.about.Working); err != nil {
			p.fail(err)
		}
	}
	j.reading.Go(func() { read(ctx, s, j.events) })
	p.readQueue()
	p.readTodos()
	p.stale = true
}

// read passes the events of a session on, until they end.
func read(ctx context.Context, s Session, to chan<- received) {
	defer close(to)
	for e, err := range s.Events(ctx) {
		select {
		case to <- received{e, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// stopReading ends the following of the session.
func (p *program) stopReading() {
	p.joined.hangUp()
	p.joined.reading.Wait()
}

// part leaves the session that is shown. Questions that wait are left to others.
func (p *program) part() {
	j := p.joined
	p.stopReading()
	p.joined = joined{}
	p.questions.forget()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), orderTime)
	defer cancel()
	if err := j.Leave(ctx); err != nil {
		p.fail(err)
	}
}

// take takes an event of the session.
func (p *program) take(r received, ok bool) {
	p.stale = true
	if !ok || r.err != nil {
		p.joined.events = nil // there are no more
		if r.err != nil {
			p.fail(r.err)
		}
		p.warn("the session was closed; /resume continues it, /new begins another")
		return
	}
	now := time.Now()
	if !p.joined.overlap.Has(&r.Event.Event) {
		p.talk.Event(r.Event, now)
	}
	switch r.Type {
	case "session.idle":
		p.working = false
		p.correct()
		p.attention("the agent has finished")
	case "user.message", "assistant.turn_start":
		if r.AgentID == "" {
			p.working, p.questions.correction = true, "" // the run goes on, and the model has read it
		}
	case "pending_messages.modified":
		p.readQueue()
	case "session.todos_changed":
		p.readTodos()
	case "session.mode_changed":
		if mode := r.Get("newMode").Text(); mode != "" {
			p.mode = mode
		}
	case "session.permissions_changed":
		p.readPermissions()
	}
	if q, ok := timeline.ReadRequest(r.Event.Event); ok && !q.ResolvedBy {
		p.requested(q, r.Cwd)
	}
	for _, o := range p.overlays {
		if l, ok := o.(*listPage); ok && l.pick.Event != nil {
			l.pick.Event(r.Event)
		}
	}
	p.questions.remember(r.Event)
	p.heard(r.Event.Event)
	p.followed(r.Event.Event)
	p.elicited(r.Event)
	p.settled(r.Event)
}

// readQueue brings what is shown of the queue up to date.
func (p *program) readQueue() {
	s := p.joined.Session
	p.queueRead.begin(p.work, func(ctx context.Context) func() {
		q, err := s.Queue(ctx)
		return func() {
			if err == nil && p.joined.Session == s {
				p.queue = q
			}
		}
	})
}

// readPermissions finds out whether everything is allowed. The event alone does not say so: the program
// may have been started with a flag that allows everything.
func (p *program) readPermissions() {
	s := p.joined.Session
	p.permissionsRead.begin(p.work, func(ctx context.Context) func() {
		d, err := s.Describe(ctx)
		return func() {
			if err == nil && p.joined.Session == s {
				p.about.AllowAll = d.AllowAll
			}
		}
	})
}

// readTodos brings the list of what is to be done up to date.
func (p *program) readTodos() {
	s := p.joined.Session
	p.todosRead.begin(p.work, func(ctx context.Context) func() {
		list, err := s.Todos(ctx)
		return func() {
			if err == nil && p.joined.Session == s && len(list) > 0 {
				p.talk.Todos(list)
			}
		}
	})
}
