package state

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Transcript returns the thread in a form that providers accept, even if the log has gaps:
// the system message first, and after each message of the model exactly one result for each
// of its calls, in their order. A call without a recorded result gets one that says it was
// interrupted. There is no result without a call, because results are stored with their
// calls. After a message that was cut off, the model reads so in the next message of the user. A message of the model without text and calls is left out; some providers refuse
// it.
func Transcript(system string, messages []Message) []model.Message {
	out := make([]model.Message, 0, len(messages)+1)
	if system != "" {
		out = append(out, model.Message{Role: model.RoleSystem, Content: system})
	}
	for i := range messages {
		out = messages[i].append(out)
	}
	if n := len(messages); n > 0 && messages[n-1].CutOff != Whole { // some models refuse to continue their own message
		out = append(out, model.Message{Role: model.RoleUser, Content: messages[n-1].CutOff.reminder()})
	}
	return out
}

// reminder tells the model that its last message is not complete.
func (c Cut) reminder() string {
	what := "The user has read it as far as it is above."
	if c == CutBegin {
		what = "It was too long to be kept: only the end of what the user has read is above."
	}
	return "<reminder>The user interrupted your last message before it was complete. " + what + "</reminder>"
}

// sent is a message of the user as the model gets it.
func (m *Message) sent() model.Message {
	s := model.Message{Role: model.RoleUser, Content: m.Text, Parts: m.Parts}
	if m.AfterCutOff != Whole {
		s.Content = m.AfterCutOff.reminder() + "\n" + s.Content
		if s.Parts != nil {
			s.Parts = slices.Insert(slices.Clone(s.Parts), 0, model.Part{Text: m.AfterCutOff.reminder()})
		}
	}
	return s
}

func (m *Message) append(out []model.Message) []model.Message {
	switch {
	case m.Cleared:
		return out
	case m.FromUser:
		return append(out, m.sent())
	case m.Text == "" && len(m.Calls) == 0:
		return out
	}
	calls := make([]model.ToolCall, len(m.Calls))
	for i := range m.Calls {
		calls[i] = m.Calls[i].ToolCall
	}
	out = append(out, model.Message{Role: model.RoleAssistant, Content: m.Text, Reasoning: m.Reasoning, ToolCalls: calls})
	for i := range m.Calls {
		result := m.Calls[i].Result
		if !m.Calls[i].Done {
			result = tool.TextInterrupted
		}
		var shown []model.Part
		for _, p := range m.Calls[i].Files {
			shown = append(shown, prompt.Viewed(p.Path, p.MediaType, string(p.Data))...)
		}
		out = append(out, model.Message{Role: model.RoleTool, ToolCallID: m.Calls[i].ID, Content: result, Parts: shown})
	}
	return out
}

// ExtensionTranscript returns a thread as the Copilot Extensions agent of that name gets it:
// the messages to it and its answers, and nothing that was sent to others. The newest
// message may be the user's decision on a confirmation, which this call sends; earlier
// decisions have been sent, or are lost.
func ExtensionTranscript(name string, messages []Message) []model.Message {
	var out []model.Message
	for i := range messages {
		m := &messages[i]
		if m.Extension != name || m.Cleared {
			continue
		}
		sent := model.Message{Role: model.RoleAssistant, Content: m.Text, References: m.References, Later: m.Later}
		if m.FromUser {
			sent.Role = model.RoleUser
		}
		for _, c := range m.Calls {
			sent.ToolCalls = append(sent.ToolCalls, c.ToolCall)
		}
		out = append(out, sent)
		for _, c := range m.Calls {
			if c.Done && i == len(messages)-1 {
				out = append(out, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: c.Result})
			}
		}
	}
	return out
}
