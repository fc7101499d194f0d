package tui

import (
	"cmp"
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

// entrance is a session with what is shown of it first.
type entrance struct {
	Session
	about   Description
	talk    *cell.Conversation
	overlap follow.Overlap
	err     error // why there is less to show
}

// openingTime is how long a session may take to open before the status line says so.
const openingTime = 300 * time.Millisecond

// enter reads a session beside the loop, because its log may be long or far away, and then shows it in
// place of the present one. Orders that the user gives meanwhile wait for it.
func (p *program) enter(s Session, then func()) {
	if p.opening.IsZero() {
		p.opening = time.Now()
	}
	p.entries++
	entry, cells := p.entries, p.Cells
	p.beside(func(ctx context.Context) func() {
		e := visit(ctx, s, cells)
		return func() {
			if entry != p.entries { // the user wanted another one meanwhile
				p.leave(s)
				return
			}
			p.replace(e)
			then()
			p.begun()
		}
	})
}

// replace shows a session in place of the present one.
func (p *program) replace(e *entrance) {
	first, mode := p.joined.Session == nil, p.mode
	if !first {
		p.closeAll()
		p.part()
	}
	p.join(e)
	if first && (p.Mode != "" || mode != "interactive") { // a flag has named it, or the user has changed it meanwhile
		p.mode = mode
	}
}

// visit reads what is shown of a session first: the end of its conversation.
func visit(ctx context.Context, s Session, cells cell.Options) *entrance {
	cells.Explain = func(f follow.Failure) string { return s.Explain(ctx, f) }
	e := &entrance{Session: s, talk: cell.New(cells)}
	var err error
	if e.about, err = s.Describe(ctx); err == nil && e.about.New { // without it, the log says what there is
		return e
	}
	e.err = e.talk.Resume(e.overlap.Read(s.Records(ctx)), e.about.Working)
	return e
}

// join shows a session that was read, and follows it.
func (p *program) join(e *entrance) {
	ctx, cancel := context.WithCancel(p.gone)
	s := e.Session
	p.joined = joined{
		Session: s, events: make(chan received, 256), calls: s.Calls(), retries: s.Retries(), hangUp: cancel, reading: new(sync.WaitGroup),
		overlap: e.overlap,
	}
	e.talk.Below(p.talk)
	p.talk, p.queue, p.working = e.talk, Queue{}, e.about.Working && !e.about.New
	p.talk.ShowReasoning(p.Cells.Reasoning)
	e.about.Model, e.about.Folder = cmp.Or(e.about.Model, p.about.Model), cmp.Or(e.about.Folder, p.about.Folder)
	p.about = e.about
	if p.about.Mode != "" {
		p.mode = p.about.Mode
	}
	p.kept = p.mode
	p.fail(e.err)
	j := p.joined
	j.reading.Go(func() { read(ctx, s, j.events) })
	p.readQueue()
	p.readTodos()
	p.shellAt = ""
	p.readShell()
	if !p.about.New {
		p.readContext()
	}
	p.listCommands()
	p.stale = true
}

// begun carries out what the user has asked for while a session was opened.
func (p *program) begun() {
	p.opening, p.notice = time.Time{}, notice{}
	waiting := p.waiting
	p.waiting = nil
	for _, w := range waiting {
		w.do()
	}
}

// read passes the events of a session on, until they end. The session's text about a failure is asked for
// here, because the loop waits for nothing.
func read(ctx context.Context, s Session, to chan<- received) {
	defer close(to)
	for e, err := range s.Events(ctx) {
		if f, failed := follow.FailureOf(e); failed {
			e.Explained = s.Explain(ctx, f)
		}
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

// part leaves the session that is shown, which may write to its log. Questions that wait are left to
// others.
func (p *program) part() {
	j := p.joined
	p.stopReading()
	p.joined = joined{}
	p.questions.forget()
	p.leave(j.Session)
}

// leave ends the use of a session.
func (p *program) leave(s Session) {
	p.beside(func(ctx context.Context) func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), orderTime)
		defer cancel()
		err := s.Leave(ctx)
		return func() { p.fail(err) }
	})
}

// take takes an event of the session.
func (p *program) take(r received, ok bool) {
	p.stale = true
	if !ok || r.err != nil {
		p.joined.events = nil // there are no more
		const next = "; /resume continues it, /new begins another"
		if r.err == nil {
			p.warn("the session was closed" + next)
			return
		}
		s := p.joined.Session
		p.words(r.err, func(text string) {
			if p.joined.Session == s {
				p.warn(text)
				p.warn("what happens in the session is not shown any more" + next)
			}
		})
		return
	}
	now := time.Now()
	if !p.joined.overlap.Has(&r.Event.Event) {
		p.echoes(r.Event.Event)
		p.talk.Event(r.Event, now)
	}
	switch r.Type {
	case "session.idle":
		p.working = false
		p.keepMode()
		p.correct()
		p.attention("the agent has finished")
	case "user.message", "assistant.turn_start":
		if r.AgentID == "" {
			p.working, p.questions.correction = true, "" // the run goes on, and the model has read it
		}
	case "pending_messages.modified":
		p.readQueue()
	case "tool.execution_complete", "session.context_changed":
		p.readShell()
	case "session.todos_changed":
		p.readTodos()
	case "session.mode_changed":
		p.modeChanged(r.Get("newMode").Text())
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

// readQueue brings what is shown of the queue up to date, also in the list of what is queued.
func (p *program) readQueue() {
	s := p.joined.Session
	p.queueRead.Begin(p.beside, func(ctx context.Context) (func(), error) {
		q, err := s.Queue(ctx)
		return func() {
			if p.joined.Session == s {
				p.queue = q
				p.arranging.fill(s, q)
			}
		}, err
	}, func(err error) {
		p.unexpected(err)
		p.arranging.failed(s, err)
	})
}

// readPermissions finds out whether everything is allowed. The event alone does not say so: the program
// may have been started with a flag that allows everything.
func (p *program) readPermissions() {
	s := p.joined.Session
	p.permissionsRead.Begin(p.beside, func(ctx context.Context) (func(), error) {
		d, err := s.Describe(ctx)
		return func() {
			if p.joined.Session == s {
				p.about.AllowAll = d.AllowAll
			}
		}, err
	}, p.unexpected)
}

// readContext finds out what fills the context window before the first model call here says so. If that
// cannot be found out, the status line does not have it.
func (p *program) readContext() {
	s, talk := p.joined.Session, p.talk
	p.contextRead.Begin(p.beside, func(ctx context.Context) (func(), error) {
		full, err := s.Context(ctx)
		return func() { talk.Fill(full) }, err
	}, p.unexpected)
}

// readShell finds out where the shell is after a command.
func (p *program) readShell() {
	s := p.joined.Session
	p.shellRead.Begin(p.beside, func(ctx context.Context) (func(), error) {
		at, err := s.ShellFolder(ctx)
		return func() {
			if p.joined.Session == s {
				p.shellAt = at
			}
		}, err
	}, p.unexpected)
}

// readTodos brings the list of what is to be done up to date.
func (p *program) readTodos() {
	s := p.joined.Session
	p.todosRead.Begin(p.beside, func(ctx context.Context) (func(), error) {
		list, err := s.Todos(ctx)
		return func() {
			if p.joined.Session == s && len(list) > 0 {
				p.talk.Todos(list)
			}
		}, err
	}, p.unexpected)
}
