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
	// Parts replace Text for a model that sees pictures; nil for a message without.
	Parts []model.Part
	// Typed is what the user wrote of Text. Earlier, of a message that is a summary, is
	// what the user had written in the messages that it replaces.
	Typed   string
	Earlier []string
	// Reasoning and Calls are those of a message from the model.
	Reasoning []model.Reasoning
	Calls     []Call
	// Cleared marks a message that is no part of the conversation any more and is kept
	// until its calls have ended; see [State.Apply] of session.context_cleared.
	Cleared bool
	// Extension is the Copilot Extensions agent that the message was sent to or came
	// from; "" if that was a model. References and Later are as in [model.Message].
	Extension         string
	References, Later json.RawMessage
}

// Call is a tool call of a message from the model.
type Call struct {
	model.ToolCall
	Started bool
	Done    bool
	Result  string       // what the model reads; set with Done
	Images  []tool.Image // what the model sees after the result, their data in base64
}

// Size is the text of a message and of the results of its calls, in bytes.
func (m *Message) Size() int {
	n := max(len(m.Text), len(m.Typed)) // most often one is a piece of the other
	n += len(m.References) + len(m.Later)
	for _, p := range m.Parts {
		n += len(p.ImageURL)
	}
	for _, r := range m.Reasoning {
		n += len(r.Text) + len(r.Opaque)
	}
	for i := range m.Calls {
		n += len(m.Calls[i].Arguments) + len(m.Calls[i].Result) + imageBytes(m.Calls[i].Images)
	}
	return n
}

func imageBytes(images []tool.Image) (n int) {
	for _, p := range images {
		n += len(p.Data)
	}
	return n
}

// OpenCalls returns the calls that have no result.
func OpenCalls(calls []Call) (open []Call) {
	for _, c := range calls {
		if !c.Done {
			open = append(open, c)
		}
	}
	return open
}
