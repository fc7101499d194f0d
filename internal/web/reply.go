package web

import (
	"cmp"
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/turn"
)

// reply is the answer to one request, the [follow.Display] of its run. It writes the text
// of the run as it comes, and keeps what the errors at its end are made of.
type reply struct {
	out func(text string) error
	// unsay takes back the last n bytes of an answer that broke off. nil: the reader is told instead.
	unsay func(n int) error

	message string // the id of the message that the run answers; "" for a run under way
	run     follow.Follower
	begun   bool         // run follows that message
	session *openSession // that is followed

	any    bool              // something was written
	before bool              // any, before the last message began
	last   int               // bytes that were written of that message
	broke  string            // what is written before the next piece, because an answer broke off
	tool   *extension.Fault  // of the last tool, if it failed and the model wrote nothing since
	warned []extension.Fault // by an agent that is the session's model, beside its answer

	question question // that ended the last follow
	asked    bool     // there is one
}

var _ follow.Display = (*reply)(nil)

// brokeOff tells the reader that the text above is no part of the answer: text that was sent cannot be taken back.
const brokeOff = "[The answer broke off above, and begins again here.]\n\n"

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
	if begins {
		t.before, t.last = t.any, 0
	}
	if begins && t.any {
		piece = "\n\n" + t.broke + piece
	}
	t.last += len(piece)
	t.any, t.tool, t.broke = true, nil, ""
	return t.out(piece)
}

// Event implements [follow.Display]. A question ends the answer.
func (t *reply) Event(e follow.Event) (enough bool, err error) {
	if t.run.Begun() && e.AgentID == "" {
		switch {
		case e.Type == "assistant.turn_retry":
			if err := t.breaksOff(); err != nil {
				return true, err
			}
		case e.Type == "assistant.message":
			t.last = 0 // it is complete
		case e.Type == "tool.execution_complete":
			t.tool = failedTool(e)
		case e.Type == "session.warning" && e.Get("warningType").Text() == turn.WarningFault:
			t.warn(e)
		}
	}
	return t.asks(), nil
}

// breaksOff drops what was written of an answer that is asked for again.
func (t *reply) breaksOff() error {
	switch {
	case t.last == 0:
		return nil
	case t.unsay == nil:
		t.broke = brokeOff
		return nil
	}
	n := t.last
	t.any, t.last = t.before, 0
	return t.unsay(n)
}

// fault is why the run has no answer; nil if it has one. A tool that failed is no error of the
// run, because the model handles it, unless the run ends without any text after it; then it says more
// than that the last answer is empty.
func (t *reply) fault(id string) *extension.Fault {
	switch {
	case t.run.Failure != nil:
		f := sessionFault(t.run.Failure)
		f.Identifier = id
		return f
	case t.run.Aborted:
		return &extension.Fault{Type: extension.FaultAgent, Code: "aborted", Message: "The run was stopped.", Identifier: id}
	case t.run.Incomplete != "" && (t.tool == nil || t.run.Finish != string(model.FinishEmpty)):
		return &extension.Fault{Type: extension.FaultAgent, Code: t.run.Finish, Message: shown(t.run.Incomplete, maxFault), Identifier: id}
	}
	return t.tool
}

// maxWarned bounds the errors that one answer takes over from an agent.
const maxWarned = 50

// warn keeps an error that an agent has reported which is the session's model. To our client,
// that agent is a function that we have called, and its answer stands.
func (t *reply) warn(e follow.Event) {
	f := extension.Fault{
		Type: extension.FaultFunction, Code: turn.WarningFault, Identifier: t.session.id,
		Message: cmp.Or(shown(e.Get("message").Text(), maxFault), "The agent reports an error."),
	}
	switch n := len(t.warned); {
	case n < maxWarned:
		t.warned = append(t.warned, f)
	case n == maxWarned:
		f.Message = "The agent reports more errors. The events of the session have all of them."
		t.warned = append(t.warned, f)
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
