package web

import (
	"cmp"
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// telling is one answer on its way to who asked: the text of a run as it comes, and
// what the run has come to.
type telling struct {
	out func(text string) error

	message string // the id of the message that is answered; "" once it is said
	streams string // the id of the message that comes in pieces
	sent    []byte // of it, from its beginning
	gap     bool   // what comes in pieces does not begin where sent ends
	missed  uint64 // events that the tail had to drop
	any     bool   // something was told

	idle    bool
	aborted bool
	failure *extension.Fault // of the run
	tool    *extension.Fault // of the last tool, if it failed and the model said nothing since
	warned  *extension.Fault // by an agent that is the session's model, beside its answer
	in, put int64            // tokens
}

// follow tells what happens until the session is idle, or asks something that is to be
// shown now, which is returned.
func (t *telling) follow(ctx context.Context, s *openSession) (q question, asked bool, err error) {
	if t.message == "" {
		if q, asked = s.asks(); asked {
			return q, true, nil
		}
	}
	err = s.read(ctx, func(h heard) (bool, error) {
		if n := s.client.Tail().Missed(); n != t.missed {
			t.missed, t.gap = n, true
		}
		if err := t.take(h); err != nil {
			return true, err
		}
		if t.message == "" {
			q, asked = s.asks()
		}
		return t.idle || asked, nil
	})
	return q, asked, err
}

// take tells one event. What happened before the message that is answered was said is
// an earlier run's.
func (t *telling) take(h heard) error {
	if t.message != "" {
		if h.Type == "user.message" && h.data.Get("messageId").Text() == t.message {
			t.message = ""
		}
		return nil
	}
	if h.Type == "assistant.usage" {
		in, out := timeline.Tokens(h.Event)
		t.in, t.put = t.in+in, t.put+out
	}
	if h.AgentID != "" {
		return nil // what a sub-agent says, it says to the model
	}
	switch h.Type {
	case "assistant.message_start":
		t.gap = false
	case wire.MessageDelta:
		if !t.gap {
			return t.say(h.data.Get("messageId").Text(), h.data.Get("deltaContent").Text())
		}
	case "assistant.message":
		return t.whole(h.data.Get("messageId").Text(), h.data.Get("content").Text())
	case "session.task_complete":
		return t.whole(h.ID, h.data.Get("summary").Text()) // the model's last word
	case "tool.execution_complete":
		t.tool = failedTool(h)
	case "session.error":
		t.failure = sessionFault(h)
	case "session.warning":
		if h.data.Get("warningType").Text() == turn.WarningFault {
			t.warned = agentFault(h)
		}
	case "session.idle":
		t.idle, t.aborted = true, h.data.Get("aborted").True()
	}
	return nil
}

// say tells a piece of a message, with a blank line before all but the first message.
func (t *telling) say(message, text string) error {
	if text == "" {
		return nil
	}
	if message != t.streams {
		t.streams, t.sent = message, t.sent[:0]
		if t.any {
			text, t.sent = "\n\n"+text, append(t.sent, text...)
			return t.tell(text)
		}
	}
	t.sent = append(t.sent, text...)
	return t.tell(text)
}

func (t *telling) tell(text string) error {
	t.any, t.tool = true, nil
	return t.out(text)
}

// whole tells what of a message has not come in pieces, which is all of it if the
// provider does not stream.
func (t *telling) whole(message, content string) error {
	rest := content
	if message == t.streams {
		var goesOn bool
		if rest, goesOn = strings.CutPrefix(content, string(t.sent)); !goesOn {
			rest = "" // it came otherwise than it ended; that is out, and cannot be taken back
		}
	}
	return t.say(message, rest)
}

// fault is what the person is to know of how the run has ended; nil for nothing. A tool
// that failed is the model's to handle, and no fault, unless the run has ended on it
// without a word.
func (t *telling) fault(id string) *extension.Fault {
	switch {
	case t.failure != nil:
		t.failure.Identifier = id
		return t.failure
	case t.aborted:
		return &extension.Fault{Type: extension.FaultAgent, Code: "aborted", Message: "The run was stopped.", Identifier: id}
	case t.tool == nil && t.warned != nil:
		t.warned.Identifier = id
		return t.warned
	}
	return t.tool
}

// agentFault is what an agent has reported that is the session's model. To who calls us
// that is something we have called, and its answer stands.
func agentFault(h heard) *extension.Fault {
	return &extension.Fault{
		Type: extension.FaultFunction, Code: turn.WarningFault, Message: cmp.Or(shown(h.data.Get("message").Text(), maxFault), "The agent reports an error."),
	}
}

// sessionFault is a session.error in the words of the protocol.
func sessionFault(h heard) *extension.Fault {
	return &extension.Fault{
		Type: extension.FaultAgent, Code: cmp.Or(h.data.Get("errorType").Text(), "failed"),
		Message: cmp.Or(shown(h.data.Get("message").Text(), maxFault), "The run has failed."),
	}
}

// maxFault bounds the message of a fault, in bytes.
const maxFault = 2 << 10

// failedTool is the fault of a tool that failed, nil if it did not. What a person or a
// rule has refused is none.
func failedTool(h heard) *extension.Fault {
	code := h.data.Get("error").Get("code").Text()
	if h.data.Get("success").True() || code == "rejected" || code == "denied" {
		return nil
	}
	return &extension.Fault{
		Type: extension.FaultFunction, Code: cmp.Or(code, "failure"),
		Message:    cmp.Or(strings.TrimPrefix(h.row.Of+": "+h.row.Title, ": "), "A tool has failed."),
		Identifier: cmp.Or(h.data.Get("toolCallId").Text(), "tool"),
	}
}
