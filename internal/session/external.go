package session

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// clientTool is a tool that a client defines and runs. To run it means to send the call
// to all clients and to wait for the first result.
type clientTool struct {
	s   *Session
	def tool.Definition
}

func newClientTool(s *Session, t wire.Tool) *clientTool {
	return &clientTool{s: s, def: tool.Definition{
		Name: t.Name, Description: t.Description, Parameters: t.Parameters, Origin: tool.Custom,
		Trusted: t.SkipPermission, Terminal: t.Terminal,
	}}
}

func (t *clientTool) Definition() tool.Definition { return t.def }

// externalCalls are the calls of client tools that have no recorded result. They belong
// to the session's goroutine.
type externalCalls struct {
	s    *Session
	open map[string]*externalCall // without a result, by request id
	// expected are open calls from before a resume that the run has not come to yet.
	expected map[callKey]*externalCall
	answered map[callKey]*externalCall // whose result is not recorded yet
}

// callKey identifies a tool call under way: models number calls anew in each thread.
type callKey struct{ agentID, toolCallID string }

// externalCall is one call of a client tool.
type externalCall struct {
	requestID string
	asked     state.Request    // as the log holds it
	result    chan tool.Result // capacity 1; the goroutine of the call receives from it
	recorded  chan error       // capacity 1: nil once the result is recorded, or why it is not
	// stopped reports why the call has ended, although it may still be open; nil until the run comes to the call.
	stopped func() error
}

func (w *externalCall) key() callKey { return callKey{w.asked.AgentID, w.asked.ToolCallID} }

func (x *externalCalls) add(requestID string, asked state.Request) *externalCall {
	w := &externalCall{requestID: requestID, asked: asked, result: make(chan tool.Result, 1), recorded: make(chan error, 1)}
	if x.open == nil { // most sessions have none at most times
		x.open = map[string]*externalCall{}
	}
	x.open[requestID] = w
	return w
}

// expect opens the calls from before a resume, so that clients can answer them before the
// resumed run comes to them.
func (x *externalCalls) expect(calls map[string]state.Request) {
	x.expected = make(map[callKey]*externalCall, len(calls))
	for id, asked := range calls {
		w := x.add(id, asked)
		x.expected[w.key()] = w
	}
}

// takeExpected returns a call from before a resume, nil if there is none.
func (x *externalCalls) takeExpected(k callKey) *externalCall {
	w := x.expected[k]
	delete(x.expected, k)
	return w
}

// taken notes a call that is answered, and whose result is not recorded yet.
func (x *externalCalls) taken(w *externalCall) {
	delete(x.open, w.requestID)
	if x.answered == nil {
		x.answered = map[callKey]*externalCall{}
	}
	x.answered[w.key()] = w
}

// acknowledge lets the client that answered a call know whether its answer is recorded.
func (x *externalCalls) acknowledge(k callKey, err error) {
	if w := x.answered[k]; w != nil {
		delete(x.answered, k)
		w.recorded <- err
	}
}

// finish closes what an agent has left that has ended: the calls that it did not come to, and the
// answers that it could not record, with the reason. agentID is "" for the main agent.
func (x *externalCalls) finish(agentID string, why error) {
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
	w, err := mailbox.Ask(context.WithoutCancel(ctx), t.s.post, func() (*externalCall, error) {
		w := t.s.external.takeExpected(callKey{c.AgentID, c.ID})
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
		return t.s.external.recall(w, interrupted)
	}
}

// Obeys implements [tool.Obedient]: after its context Run waits for the session's goroutine alone, which has
// to record the result in any case.
func (t *clientTool) Obeys() bool { return true }

// handOut sends a call to the clients.
func (t *clientTool) handOut(ctx context.Context, c tool.Call) (*externalCall, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	id := wire.NewID()
	err := t.s.log.recordFor(c.AgentID, &wire.ExternalToolRequested{
		RequestID: id, SessionID: t.s.id, ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments,
		WorkingDirectory: wire.Optional(t.s.state.Cwd), Traceparent: wire.Optional(t.s.run.toolTrace()),
	})
	if err != nil {
		return nil, err
	}
	return t.s.external.add(id, t.s.state.Thread(c.AgentID).External[id]), nil
}

// AnswerToolCall gives an external tool call its result, and returns once that is
// recorded: the client need not keep it any longer. It reports false if no such call is
// open, if the run of the call has been aborted, or if another client has taken over the tool and is attached: its answer is the one
// that counts.
// If ctx ends early, the answer may still count.
func (c *Client) AnswerToolCall(ctx context.Context, a wire.ToolCallAnswer) (ok bool, err error) {
	s := c.s
	w, err := mailbox.Ask(ctx, s.do, func() (*externalCall, error) {
		w := s.external.open[a.RequestID]
		if w == nil || c.missesAnswer(w.asked.Tool) {
			return nil, nil
		}
		if w.stopped != nil && w.stopped() != nil { // recall, which closes the call, may come only after this answer
			return nil, nil
		}
		s.external.taken(w)
		s.log.emitFor(w.asked.AgentID, &wire.ExternalToolCompleted{RequestID: a.RequestID})
		w.result <- s.external.result(w.key(), a)
		return w, nil
	})
	if err != nil || w == nil {
		return false, err
	}
	select {
	case err := <-w.recorded:
		return err == nil, err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// recall sends the clients that a call has ended without a result, unless its result has
// just arrived.
func (x *externalCalls) recall(w *externalCall, otherwise tool.Result) tool.Result {
	_ = x.s.post(context.Background(), func() error { // the run's context has ended, the call must end too
		if x.open[w.requestID] != w {
			otherwise = <-w.result
			return nil
		}
		delete(x.open, w.requestID)
		x.s.log.emitFor(w.asked.AgentID, &wire.ExternalToolCompleted{RequestID: w.requestID})
		return nil
	})
	return otherwise
}

// result reads a client's answer. A missing or unknown result type counts as
// success, or as failure when there is an error with it.
func (x *externalCalls) result(k callKey, a wire.ToolCallAnswer) tool.Result {
	if a.Error != nil {
		return tool.Result{Outcome: tool.Failure, Text: x.crashed(k), Error: *a.Error}
	}
	switch r := a.Result.(type) {
	case wire.ToolCallString:
		return tool.Result{Outcome: tool.Success, Text: string(r)}
	case *wire.ToolCallString:
		return tool.Result{Outcome: tool.Success, Text: string(*r)}
	case *wire.ToolCallText:
		res := tool.Result{Outcome: tool.Success, Text: r.TextResultForLlm, Telemetry: r.ToolTelemetry}
		if r.Error != nil {
			res.Outcome, res.Error = tool.Failure, *r.Error
		}
		x.attach(&res, r.BinaryResultsForLlm)
		res.Contents, res.Exit = blocks(r.Contents)
		if r.SessionLog != nil {
			res.Detail = *r.SessionLog
		}
		if r.ResultType != nil {
			res.Outcome = tool.ParseOutcome(*r.ResultType, res.Outcome)
		}
		return res
	}
	return tool.Result{Outcome: tool.Success}
}

// blocks returns the blocks of a client's answer as the event has them, and how a command has ended that
// the client has run, if one says so.
func blocks(sent []wire.AnswerContent) (contents []wire.ToolContent, exit *tool.Exit) {
	var read wire.ToolResult // the types differ, their JSON does not
	if data, err := wire.Marshal(map[string]any{"content": "", "contents": sent}); err != nil || json.Unmarshal(data, &read) != nil {
		return nil, nil
	}
	for _, block := range read.Contents {
		switch b := block.(type) {
		case *wire.ToolShellExit:
			exit = &tool.Exit{Code: int(b.ExitCode), Shell: b.ShellID}
		case *wire.ToolTerminal:
			if b.ExitCode != nil {
				exit = &tool.Exit{Code: int(*b.ExitCode)}
			}
		}
	}
	return read.Contents, exit
}

// crashed is what the model reads when the client's handler failed.
func (x *externalCalls) crashed(k callKey) string {
	c := tool.Call{AgentID: k.agentID, ID: k.toolCallID}
	t := x.s.state.Thread(k.agentID)
	if t == nil { // it was cleared meanwhile
		return turn.Crashed(c)
	}
	if open := t.Call(k.toolCallID); open != nil {
		c.Name, c.Arguments = open.Name, []byte(open.Arguments)
	}
	return turn.Crashed(c)
}
