package state

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Message is one message of a thread.
type Message struct {
	FromUser bool // false: from the model, or the Copilot Extensions agent
	Text     string
	// Parts replace Text for a model that accepts images; nil for a message without any.
	Parts []model.Part
	// Typed is the part of Text that the user wrote. In a summary, Earlier is what the user
	// wrote in the replaced messages.
	Typed   string
	Earlier []string
	// Reasoning and Calls are set in messages from the model.
	Reasoning []model.Reasoning
	Calls     []Call
	// CutOff marks a message from the model that is not complete. AfterCutOff marks the message of
	// the user that follows it, and tells the model so. Finish is why a message that the user did
	// not interrupt is not complete, "" for others.
	CutOff, AfterCutOff Cut
	Finish              model.Finish
	// TooLong marks a message of the user that the provider has refused because the request was too long. Once
	// another message follows, the model reads only the beginning and the end of it.
	TooLong bool
	// Cleared marks a message that is no longer part of the conversation and stays until its
	// calls have ended; see [State.Apply] of session.context_cleared.
	Cleared bool
	// Extension is the Copilot Extensions agent that the message was sent to or came from;
	// "" for a model. References and Later are as in [model.Message].
	Extension         string
	References, Later json.RawMessage
}

// Cut is what is missing of a message from the model, or why.
type Cut uint8

// The cuts. The user has interrupted a message with CutEnd or CutBegin; the log does not have the
// beginning of the latter either. The others ended by themselves.
const (
	Whole Cut = iota
	CutEnd
	CutBegin
	CutLength
	CutWindow
	CutBlocked
	CutEmpty
	CutPaused
	CutRepetition
	CutUnknown
)

// Call is a tool call in a message from the model.
type Call struct {
	model.ToolCall
	Started bool
	Done    bool
	Result  string      // text for the model; set with Done
	Files   []tool.File // for the model with the result; data in base64
	Exit    *int        // exit code of a command that has ended; nil for others
}

// Size returns the bytes of a message's text and of the results of its calls.
func (m *Message) Size() int {
	n := max(len(m.Text), len(m.Typed)) // Typed is usually a substring of Text
	n += len(m.References) + len(m.Later)
	for _, p := range m.Parts {
		n += len(p.ImageURL)
		if p.Document != nil {
			n += len(p.Document.Data)
		}
	}
	for _, r := range m.Reasoning {
		n += len(r.Text) + len(r.Opaque)
	}
	for i := range m.Calls {
		n += len(m.Calls[i].Arguments) + m.Calls[i].ResultSize()
	}
	return n
}

func fileBytes(files []tool.File) (n int) {
	for _, p := range files {
		n += len(p.Data)
	}
	return n
}

// ResultSize is the part of [Message.Size] that is the result of the call.
func (c *Call) ResultSize() int { return len(c.Result) + fileBytes(c.Files) }

// OpenCalls returns the calls that have no result.
func OpenCalls(calls []Call) (open []Call) {
	for _, c := range calls {
		if !c.Done {
			open = append(open, c)
		}
	}
	return open
}
