// Package clienttools has the tools that clients bring to a session. To run one means to send the
// call to all clients and to wait for the first result; so a call outlives the client that was sent
// it, and the process.
//
// Begin with [New]. [Calls.Bring] makes the tools of a client, and [Calls.Join] has the session provide
// them; [Calls.TakeOver] gives the client the open calls of its tools. [Tools.Answer] takes a result.
//
// # What always holds
//
//   - A call that is recorded as handed out has one request id until it has a result, whichever
//     client brings its tool then.
//   - A client that answers learns of success only once the result is recorded.
//   - A tool of two attached clients belongs to the one that brought it last; see
//     docs/decisions/0007.
package clienttools

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Session is the interface of [Calls] to their session. All methods beside those of the Recorder are
// called on the session's goroutine, or while the session is opened.
type Session interface {
	state.Recorder
	// Builtin reports whether this program has a tool of that name.
	Builtin(name string) bool
	// Model returns the model that the next turn uses; "" if the provider chooses it.
	Model() string
	// Trace returns the traceparent of calls of tools of the current run; "" for none.
	Trace() string
}

// clientTool is a tool that a client defines and runs. To run it means to send the call
// to all clients and to wait for the first result.
type clientTool struct {
	of  *Calls
	def tool.Definition
}

func (x *Calls) newTool(t wire.Tool) *clientTool {
	return &clientTool{of: x, def: tool.Definition{
		Name: t.Name, Description: t.Description, Parameters: t.Parameters, Origin: tool.Custom,
		Trusted: t.SkipPermission, Terminal: t.Terminal, Preloaded: t.Defer == wire.DeferNever,
	}}
}

func (t *clientTool) Definition() tool.Definition { return t.def }

// Calls are the calls of clients' tools that have no recorded result. Its methods are called on the
// session's goroutine, or while the session is opened.
type Calls struct {
	session Session
	id      string // of the session

	attached []*Tools         // of the attached clients, in the order in which they came
	open     map[string]*call // without a result, by request id
	// expected are open calls from before a resume that the run has not come to yet.
	expected map[callKey]*call
	answered map[callKey]*call // whose result is not recorded yet
}

// New returns the calls of a session, of which there are none yet.
func New(session Session, id string) *Calls { return &Calls{session: session, id: id} }

// Tool returns a tool of that name that clients bring, with nothing of its definition. It answers a
// call from before a resume, whose client has not come back.
func (x *Calls) Tool(name string) tool.Tool { return x.newTool(wire.Tool{Name: name}) }

// Waiting reports whether a call needs a client.
func (x *Calls) Waiting() bool { return len(x.open) > 0 }

// Answering reports whether a client waits until its answer is recorded.
func (x *Calls) Answering() bool { return len(x.answered) > 0 }

// Open yields the ids of the tool calls that need a client, in no particular order.
func (x *Calls) Open(yield func(toolCallID string) bool) {
	for _, w := range x.open {
		if !yield(w.asked.ToolCallID) {
			return
		}
	}
}

// callKey identifies a tool call under way: models number calls anew in each thread.
type callKey struct{ agentID, toolCallID string }

// call is one call of a client's tool.
type call struct {
	requestID string
	asked     state.Request    // as the log holds it
	result    chan tool.Result // capacity 1; the goroutine of the call receives from it
	recorded  chan error       // capacity 1: nil once the result is recorded, or why it is not
	// stopped reports why the call has ended, although it may still be open; nil until the run comes to the call.
	stopped func() error
}

func (w *call) key() callKey { return callKey{w.asked.AgentID, w.asked.ToolCallID} }

func (x *Calls) add(requestID string, asked state.Request) *call {
	w := &call{requestID: requestID, asked: asked, result: make(chan tool.Result, 1), recorded: make(chan error, 1)}
	if x.open == nil { // most sessions have none at most times
		x.open = map[string]*call{}
	}
	x.open[requestID] = w
	return w
}

// Expect opens the calls from before a resume, so that clients can answer them before the
// resumed run comes to them.
func (x *Calls) Expect(calls map[string]state.Request) {
	x.expected = make(map[callKey]*call, len(calls))
	for id, asked := range calls {
		w := x.add(id, asked)
		x.expected[w.key()] = w
	}
}

// takeExpected returns a call from before a resume, nil if there is none.
func (x *Calls) takeExpected(k callKey) *call {
	w := x.expected[k]
	delete(x.expected, k)
	return w
}

// taken notes a call that is answered, and whose result is not recorded yet.
func (x *Calls) taken(w *call) {
	delete(x.open, w.requestID)
	if x.answered == nil {
		x.answered = map[callKey]*call{}
	}
	x.answered[w.key()] = w
}

// Recorded lets the client that answered a call know that its answer is in the log. agentID is that of
// a sub-agent, "" for the main agent.
func (x *Calls) Recorded(agentID, toolCallID string) {
	x.acknowledge(callKey{agentID, toolCallID}, nil)
}

// acknowledge lets the client that answered a call know whether its answer is recorded.
func (x *Calls) acknowledge(k callKey, err error) {
	if w := x.answered[k]; w != nil {
		delete(x.answered, k)
		w.recorded <- err
	}
}

// Finish closes what an agent has left that has ended: the calls that it did not come to, and the
// answers that it could not record, with the reason. agentID is "" for the main agent.
func (x *Calls) Finish(agentID string, why error) {
	for k, w := range x.expected {
		if k.agentID == agentID {
			delete(x.open, w.requestID)
			delete(x.expected, k)
		}
	}
	for k := range x.answered {
		if k.agentID == agentID {
			x.acknowledge(k, why)
		}
	}
}

// Run hands the call to the clients. A call that was handed out before a resume is not
// handed out again: the client that got it may have acted on it, and may still answer
// under the same request id. There is no time limit: the client's tool may be a person.
func (t *clientTool) Run(ctx context.Context, c tool.Call) tool.Result {
	interrupted := tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
	// Without the context, because a call that is handed out must have a run that waits.
	w, err := mailbox.Ask(context.WithoutCancel(ctx), t.of.session.Post, func() (*call, error) {
		w := t.of.takeExpected(callKey{c.AgentID, c.ID})
		if w == nil {
			var err error
			if w, err = t.handOut(ctx, c); err != nil {
				return nil, err
			}
		}
		w.stopped = ctx.Err
		return w, nil
	})
	if err != nil {
		return interrupted
	}
	select {
	case res := <-w.result:
		return res
	case <-ctx.Done():
		return t.of.recall(w, interrupted)
	}
}

// Obeys implements [tool.Obedient]: after its context Run waits for the session's goroutine alone, which has
// to record the result in any case.
func (t *clientTool) Obeys() bool { return true }

// handOut sends a call to the clients.
func (t *clientTool) handOut(ctx context.Context, c tool.Call) (*call, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	id := wire.NewID()
	err := t.of.session.Record(c.AgentID, &wire.ExternalToolRequested{
		RequestID: id, SessionID: t.of.id, ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments,
		WorkingDirectory: wire.Optional(t.of.session.State().Cwd), Traceparent: wire.Optional(t.of.session.Trace()),
	})
	if err != nil {
		return nil, err
	}
	return t.of.add(id, t.of.session.State().Thread(c.AgentID).External[id]), nil
}

// recall sends the clients that a call has ended without a result, unless its result has
// just arrived.
func (x *Calls) recall(w *call, otherwise tool.Result) tool.Result {
	_ = x.session.Post(context.Background(), func() error { // the run's context has ended, the call must end too
		if x.open[w.requestID] != w {
			otherwise = <-w.result
			return nil
		}
		delete(x.open, w.requestID)
		x.session.Emit(w.asked.AgentID, &wire.ExternalToolCompleted{RequestID: w.requestID})
		return nil
	})
	return otherwise
}
