package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// clientTool is a tool that a client defines and runs. To run it is to tell all
// clients of the call and to wait for the first result.
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

// Run hands the call to the clients. A call that was handed out before a resume
// is not handed out again: whoever got it may have acted on it, and may still
// answer under its old request id. There is no time limit: the client's tool may
// be a person.
func (t *clientTool) Run(ctx context.Context, c tool.Call) tool.Result {
	interrupted := tool.Result{Outcome: tool.Interrupted, Text: tool.TextInterrupted}
	var w *wait
	err := t.s.post(context.WithoutCancel(ctx), func() error {
		if w = t.s.takeExpected(c.ID); w != nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w = newHandedOut(wire.NewID(), c.ID)
		t.s.await(w)
		err := t.s.record(&wire.ExternalToolRequested{
			RequestID: w.requestID, SessionID: t.s.id, ToolCallID: c.ID, ToolName: c.Name, Arguments: c.Arguments,
			WorkingDirectory: wire.Optional(t.s.state.Cwd),
		})
		if err != nil {
			t.s.dismiss(w)
		}
		return err
	})
	if err != nil {
		return interrupted
	}
	select {
	case res := <-w.result:
		return res
	case <-ctx.Done():
		return t.s.recall(w, interrupted)
	}
}

func newHandedOut(requestID, toolCallID string) *wait {
	return &wait{
		requestID: requestID, toolCallID: toolCallID, result: make(chan tool.Result, 1), recorded: make(chan error, 1),
	}
}

// recall tells the clients that nobody waits for a call any more, unless its
// result has come just now.
func (s *Session) recall(w *wait, otherwise tool.Result) tool.Result {
	_ = s.post(context.Background(), func() error {
		if s.waits[w.requestID] != w {
			otherwise = <-w.result
			return nil
		}
		s.dismiss(w)
		s.emit(&wire.ExternalToolCompleted{RequestID: w.requestID})
		return nil
	})
	return otherwise
}

// AnswerToolCall gives an external tool call its result, and returns once that
// is recorded: a client that was told so need not keep it. It reports false if no
// such call is open.
func (s *Session) AnswerToolCall(ctx context.Context, a wire.ToolCallAnswer) (ok bool, err error) {
	var w *wait
	err = s.do(ctx, func() error {
		w = s.waits[a.RequestID]
		if w == nil || w.result == nil {
			w = nil
			return nil
		}
		delete(s.waits, a.RequestID)
		if s.kept == nil {
			s.kept = map[string]*wait{}
		}
		s.kept[w.toolCallID] = w
		s.emit(&wire.ExternalToolCompleted{RequestID: a.RequestID})
		w.result <- s.result(w.toolCallID, a)
		return nil
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

// acknowledge tells who answered a call what became of the answer.
func (s *Session) acknowledge(toolCallID string, err error) {
	if w := s.kept[toolCallID]; w != nil {
		delete(s.kept, toolCallID)
		w.recorded <- err
	}
}

// result reads a client's answer. A missing or unknown result type counts as
// success, or as failure when there is an error with it.
func (s *Session) result(toolCallID string, a wire.ToolCallAnswer) tool.Result {
	if a.Error != nil {
		return tool.Result{Outcome: tool.Failure, Text: s.crashed(toolCallID), Error: *a.Error}
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

// crashed is what the model reads when the client's handler failed.
func (s *Session) crashed(toolCallID string) string {
	c := tool.Call{ID: toolCallID}
	if open := s.state.Main.Call(toolCallID); open != nil {
		c.Name = open.Name
		c.Arguments = []byte(open.Arguments)
	}
	return turn.Crashed(c)
}
