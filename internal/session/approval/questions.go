package approval

import (
	"cmp"
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Ability says which kind of question a client can answer.
type Ability uint8

const (
	AnswersQuestions Ability = iota // of the tool ask_user
	DecidesOnPlans                  // of the tool exit_plan_mode
	FillsForms                      // elicitations
	Samples                         // requests of MCP servers for a text of a model
	SwitchesModel                   // of runs that a rate limit has stopped
	RaisesLimits                    // of sessions that have used up their limits
	SignsIn                         // requests of MCP servers for a token
	GivesHeaders                    // requests for headers that an MCP server is sent
)

// Event is the type of the event with which a kind of question is asked. A client that is interested in that event
// answers such questions. It is "" for values that are no [Ability].
func (can Ability) Event() wire.EventType {
	switch can {
	case AnswersQuestions:
		return "user_input.requested"
	case DecidesOnPlans:
		return "exit_plan_mode.requested"
	case FillsForms:
		return "elicitation.requested"
	case Samples:
		return "sampling.requested"
	case SwitchesModel:
		return "auto_mode_switch.requested"
	case RaisesLimits:
		return "session_limits_exhausted.requested"
	case SignsIn:
		return "mcp.oauth_required"
	case GivesHeaders:
		return "mcp.headers_refresh_required"
	}
	return ""
}

// Client is a client that can answer questions. Values for the same client are equal.
type Client interface {
	// Call calls a method of the client and decodes its result.
	Call(ctx context.Context, method string, params, result any) error
	// Attached returns a context that ends when the client leaves the session.
	Attached() context.Context
	// Can reports whether the client can answer questions of a kind. Call it, and Send, on
	// the session's goroutine.
	Can(Ability) bool
	// Send sends an ephemeral event of a thread to the client alone.
	Send(agentID string, data wire.Data)
}

// Clients finds the clients of a session for [Questions]. Call its methods on the session's
// goroutine.
type Clients interface {
	// Latest returns the client that attached last of those that answer a kind of question
	// when they are called, nil if there is none.
	Latest(can Ability) Client
	// Answerers are the attached clients that can answer a kind of question: because they are called, or
	// because they wait for the event.
	Answerers(can Ability) []Client
}

// Questions are the open questions of a session to its user: those of tools, of MCP servers,
// of programs, and of a run that a limit has stopped. All clients see each as an event; some kinds are
// also sent to one client as a request. Any client may answer with a call of its own; the
// first answer counts. A question whose client leaves stays open for another client, and is
// sent to each client that attaches later and can answer it. A crash ends all questions: the
// tools ask again.
//
// Its methods are safe for concurrent use, except for those whose comment requires the
// session's goroutine. They return the errors of [Session.Do].
type Questions struct {
	session   Session
	clients   Clients
	sessionID string

	// The rest belongs to the session's goroutine.
	open   map[string]*question // by request id
	asked  int                  // how many questions there were
	direct map[string]Client    // handlers of model switches, by handle; see switches.go
	closed bool
	// refused counts the forms of each MCP server that the user has declined or left, since the last one
	// that was filled in, and since the last message of the user. told has the servers that a warning was
	// about since then.
	refused map[string]int
	told    map[string]bool
}

// NewQuestions returns the questions of a session, without an open one.
func NewQuestions(s Session, c Clients, sessionID string) *Questions {
	return &Questions{session: s, clients: c, sessionID: sessionID}
}

// maxOpen bounds the questions that are open at once in a session. Tools ask one at a time;
// programs and MCP servers may ask many.
const maxOpen = 100

// question is an open question. The fields after answer belong to the session's goroutine.
type question struct {
	id      string
	agentID string // of the asking thread
	source  string // the MCP server that asks; empty for others
	can     Ability
	event   wire.Data
	method  string // that is called on one client; "" if clients see the event only
	params  map[string]any
	// read calls the client and decodes the answer; nil without a method.
	read func(call func(result any) error) (any, error)
	// check returns why an answer is not valid. If check is nil, every answer is valid.
	check func(answer any) error
	// completed returns the event that ends the question; answer is nil if there is none.
	completed func(answer any) wire.Data
	// declined is the answer if no attached client can answer: all clients are sent the
	// question and this answer at once. nil: they are not sent the question.
	declined any
	answer   chan any     // capacity 1
	stopped  func() error // why the asker does not wait any more, nil while it does

	number int
	unfit  refusals           // answers that were not valid
	unseen []Client           // attached after the question was sent, and have not got its event
	failed error              // error of the client that was asked last
	asked  Client             // the client that is being called; nil for none
	stop   context.CancelFunc // cancels the call of that client; nil for none
}

// ask sends a question to the clients and waits for the first answer. The error is
// [tool.ErrNobody] if no attached client can ever answer.
func (o *Questions) ask(ctx context.Context, q *question) (any, error) {
	q.answer, q.stopped = make(chan any, 1), ctx.Err
	// Without the context, because a question that is open must have a caller that waits.
	err := o.session.Post(context.WithoutCancel(ctx), func() error { return o.begin(q) })
	if err != nil {
		return nil, err
	}
	select {
	case answer := <-q.answer:
		return answer, q.failed
	case <-ctx.Done():
		_ = o.session.Post(context.Background(), func() error { // ctx has ended, the question must end too
			if o.open[q.id] == q {
				o.end(q, nil)
				o.count(q, nil) // a server that withdraws its questions floods the user, too
			}
			return nil
		})
		return nil, ctx.Err()
	}
}

// begin opens a question.
func (o *Questions) begin(q *question) error {
	switch {
	case o.closed:
		return o.closedError()
	case !o.canAnswer(q.can):
		if q.declined != nil {
			o.session.Emit(q.agentID, q.event)
			o.session.Emit(q.agentID, q.completed(q.declined))
		}
		return tool.ErrNobody
	case o.floods(q.source):
		return errFlood
	case len(o.open) >= maxOpen:
		return fault.New(fault.Unavailable, "approval.Ask", o.sessionID, "%d questions are open already; ask again when one is answered", maxOpen)
	}
	if o.open == nil { // most sessions have no open question most of the time
		o.open = map[string]*question{}
	}
	o.asked++
	q.number = o.asked
	o.open[q.id] = q
	o.session.Emit(q.agentID, q.event)
	o.put(q)
	return nil
}

func (o *Questions) closedError() error {
	return fault.New(fault.Unavailable, "approval.Ask", o.sessionID, "the session is closing")
}

// canAnswer reports whether a client that is attached can answer a kind of question.
func (o *Questions) canAnswer(can Ability) bool {
	return len(o.clients.Answerers(can)) > 0 || can == SwitchesModel && len(o.direct) > 0
}

// put sends a question to the client that attached last, if no client is being called. If the
// client cannot be reached, the question stays open; if it answers with an error, the
// question ends.
func (o *Questions) put(q *question) {
	if q.method == "" || q.asked != nil || q.can == SwitchesModel && len(o.direct) > 0 {
		return
	}
	c := o.clients.Latest(q.can)
	if c == nil {
		return
	}
	ctx, cancel := context.WithCancel(c.Attached())
	q.asked, q.stop = c, cancel
	o.session.Go("approval.question", func() {
		defer cancel()
		var answer any
		err := fault.Guard("approval.question", func() (err error) {
			answer, err = q.read(func(result any) error { return c.Call(ctx, q.method, q.params, result) })
			return err
		})
		if ctx.Err() != nil || fault.KindOf(err) == fault.Unavailable && err != nil {
			return
		}
		if err == nil && q.check != nil {
			err = q.check(answer) // the client cannot be told so, and is not asked again
		}
		_, _ = o.answer(AnsweredBy(context.Background(), c), q.id, q.can, answer, err) // without a context: the caller waits for it
	})
}

// end closes a question and reports its end to all clients.
func (o *Questions) end(q *question, answer any) {
	delete(o.open, q.id)
	if q.stop != nil {
		q.stop()
	}
	o.session.Emit(q.agentID, q.completed(answer))
}

// inOrder are the open questions, the oldest first.
func (o *Questions) inOrder() []*question {
	var list []*question
	for _, q := range o.open {
		list = append(list, q)
	}
	slices.SortFunc(list, func(a, b *question) int { return cmp.Compare(a.number, b.number) })
	return list
}

// Listed lists the open questions, the oldest first; nil if there are none. Call it on the session's goroutine.
func (o *Questions) Listed() (list []state.Question) {
	for _, q := range o.inOrder() {
		list = append(list, state.Question{ID: q.id, AgentID: q.agentID, Event: string(q.event.Type())})
	}
	return list
}

// Attached sends the open questions to a client that has just attached. again says that it
// was attached until now, and has seen the events of the questions. Call it on the session's
// goroutine.
func (o *Questions) Attached(c Client, again bool) {
	for _, q := range o.inOrder() {
		switch {
		case again:
		case c.Can(q.can):
			c.Send(q.agentID, q.event)
		default:
			q.unseen = append(q.unseen, c)
		}
	}
	o.putAfter(nil)
}

// Replaced hands what a client has registered over to another one, which is on the same
// connection. Call it on the session's goroutine.
func (o *Questions) Replaced(before, now Client) {
	for handle, owner := range o.direct {
		if owner == before {
			o.direct[handle] = now
		}
	}
}

// Left sends the questions that a client was called with, and that has left, to another one.
// Call it on the session's goroutine.
func (o *Questions) Left(c Client) {
	for handle, owner := range o.direct {
		if owner == c {
			delete(o.direct, handle)
		}
	}
	for _, q := range o.inOrder() { // those whose other clients were refused
		if why := q.unfit.why; why != nil && len(o.clients.Answerers(q.can)) > 0 {
			o.giveUp(q, why)
		}
	}
	o.putAfter(c)
	o.putAfter(nil)
}

func (o *Questions) putAfter(asked Client) {
	for _, q := range o.inOrder() {
		if q.asked == asked {
			q.asked = nil
			o.put(q)
		}
	}
}

// Waiting reports whether a question is open. Call it on the session's goroutine.
func (o *Questions) Waiting() bool { return len(o.open) > 0 }

// Close ends all questions, and refuses further ones, because the session is closing. Call it
// on the session's goroutine.
func (o *Questions) Close() {
	o.closed = true
	for _, q := range o.inOrder() {
		q.failed = o.closedError()
		o.end(q, nil)
		q.answer <- nil
	}
}

// answer ends a question of a kind with an answer, or with the reason why there is none. It
// reports false if no such question is open, or if its run has been aborted. An answer that does not fit is an error; refuse says what
// becomes of the question.
func (o *Questions) answer(ctx context.Context, requestID string, kind Ability, answer any, failed error) (ok bool, err error) {
	return mailbox.Ask(ctx, o.session.Do, func() (bool, error) {
		q := o.open[requestID]
		if q == nil || q.can != kind || q.stopped() != nil {
			return false, nil
		}
		if failed == nil && q.check != nil {
			q.unfit.from = answering(ctx)
			if err := q.check(answer); err != nil {
				return false, o.refuse(q, err)
			}
		}
		q.failed = failed
		if failed != nil {
			answer = nil
		}
		o.end(q, answer)
		o.count(q, answer)
		q.answer <- answer
		return true, nil
	})
}
