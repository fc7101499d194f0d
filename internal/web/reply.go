package web

import (
	"cmp"
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/turn"
)

// reply is the answer to one request, the [follow.Display] of its run. It writes the text
// of the run as it comes, and keeps what the errors at its end are made of.
type reply struct {
	out func(text string) error

	message string // the id of the message that the run answers; "" for a run under way
	run     follow.Follower
	begun   bool         // run follows that message
	session *openSession // that is followed

	any    bool             // something was written
	tool   *extension.Fault // of the last tool, if it failed and the model wrote nothing since
	warned *extension.Fault // by an agent that is the session's model, beside its answer

	question question // that ended the last follow
	asked    bool     // there is one
}

var _ follow.Display = (*reply)(nil)

// follow writes what happens until the session is idle, or asks something that is to be
// shown now, which is returned.
func (t *reply) follow(ctx context.Context, s *openSession) (q question, asked bool, err error) {
	if !t.begun {
		t.run.Begin(t.message)
		t.begun = true
	}
	t.session, t.asked = s, false
	if t.asks() {
		return t.question, true, nil
	}
	err = t.run.Follow(s.events(ctx), t)
	return t.question, t.asked, err
}

// asks takes the question that the client is to see next, if there is one.
func (t *reply) asks() bool {
	if t.run.Begun() {
		t.question, t.asked = t.session.asks()
	}
	return t.asked
}

// Text implements [follow.Display]: a blank line separates messages.
func (t *reply) Text(piece string, begins bool) error {
	if begins && t.any {
		piece = "\n\n" + piece
	}
	t.any, t.tool = true, nil
	return t.out(piece)
}

// Event implements [follow.Display]. A question ends the answer.
func (t *reply) Event(e follow.Event) (enough bool, err error) {
	if t.run.Begun() && e.AgentID == "" {
		switch {
		case e.Type == "tool.execution_complete":
			t.tool = failedTool(e)
		case e.Type == "session.warning" && e.Get("warningType").Text() == turn.WarningFault:
			t.warned = agentFault(e)
		}
	}
	return t.asks(), nil
}

// fault is the error that the client is sent at the end of the run; nil for none. A tool
// that failed is no error of the run, because the model handles it, unless the run ends
// without any text after it.
func (t *reply) fault(id string) *extension.Fault {
	switch {
	case t.run.Failure != nil:
		f := sessionFault(t.run.Failure)
		f.Identifier = id
		return f
	case t.run.Aborted:
		return &extension.Fault{Type: extension.FaultAgent, Code: "aborted", Message: "The run was stopped.", Identifier: id}
	case t.tool == nil && t.warned != nil:
		t.warned.Identifier = id
		return t.warned
	}
	return t.tool
}

// agentFault is an error that an agent has reported which is the session's model. To our
// client, that agent is a function that we have called, and its answer stands.
func agentFault(e follow.Event) *extension.Fault {
	return &extension.Fault{
		Type: extension.FaultFunction, Code: turn.WarningFault, Message: cmp.Or(shown(e.Get("message").Text(), maxFault), "The agent reports an error."),
	}
}

// sessionFault is a session.error as the protocol sends it.
func sessionFault(f *follow.Failure) *extension.Fault {
	return &extension.Fault{
		Type: extension.FaultAgent, Code: cmp.Or(f.Type, "failed"),
		Message: cmp.Or(shown(f.Message, maxFault), "The run has failed."),
	}
}

// maxFault bounds the message of a fault, in bytes.
const maxFault = 2 << 10

// failedTool is the error of a tool call that failed, nil if it did not. A call that the
// user or a rule has denied has not failed.
func failedTool(e follow.Event) *extension.Fault {
	code := e.Get("error").Get("code").Text()
	if e.Get("success").True() || code == "rejected" || code == "denied" {
		return nil
	}
	return &extension.Fault{
		Type: extension.FaultFunction, Code: cmp.Or(code, "failure"),
		Message:    cmp.Or(strings.TrimPrefix(e.Row.Of+": "+e.Row.Title, ": "), "A tool has failed."),
		Identifier: cmp.Or(e.Get("toolCallId").Text(), "tool"),
	}
}
