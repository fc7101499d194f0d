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
		out = messages[i].following(messages[i+1:]).append(out)
		if next := i + 1; messages[i].CutOff != Whole && (next == len(messages) || !messages[next].FromUser) { // some models refuse to continue their own message
			out = append(out, model.Message{Role: model.RoleUser, Content: messages[i].CutOff.reminder()})
		}
	}
	return out
}

// reminder tells the model that its last message is not complete.
func (c Cut) reminder() string {
	text := ""
	switch c {
	case CutEnd:
		text = "The user interrupted your last message before it was complete. The user has read it as far as it is above."
	case CutBegin:
		text = "The user interrupted your last message before it was complete. It was too long to be kept: only the end of what the user has read is above."
	case CutLength:
		text = "Your last message was cut off at the limit on its tokens. The user has read it as far as it is above. Go on from there, in smaller parts."
	case CutWindow:
		text = "Your last message was cut off because the context window was full. The user has read it as far as it is above."
	case CutBlocked:
		text = "Your last message was stopped by a content filter before it was complete. The user has read it as far as it is above."
	case CutEmpty:
		text = "Your last message was empty. Answer the user, or call a tool."
	case CutPaused:
		text = "Your last message was paused by the provider. Go on from where it ends."
	case CutRepetition:
		text = "Your last message was repeating itself and was stopped. Its first copy is kept. Do not go on with it: answer in another way, or say what is missing."
	case CutUnknown:
		text = "Your last message ended before it was complete. The user has read it as far as it is above."
	}
	return "<reminder>" + text + "</reminder>"
}

// cutBy is what is missing of a message that ended for the reason f.
func cutBy(f model.Finish) Cut {
	switch {
	case f.Complete():
		return Whole
	case f.Blocked():
		return CutBlocked
	case f == model.FinishLength:
		return CutLength
	case f == model.FinishWindow:
		return CutWindow
	case f == model.FinishEmpty:
		return CutEmpty
	case f == model.FinishPaused:
		return CutPaused
	case f == model.FinishRepetition:
		return CutRepetition
	}
	return CutUnknown
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
	if n := len(calls); n > 0 && m.Finish == model.FinishRepetition {
		calls[n-1].Arguments = closed(calls[n-1].Arguments)
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
// the messages to it and its answers, and nothing that was sent to others. Decisions of the
// user on confirmations are results of tool calls. If one is the newest message, this call
// sends it; earlier ones have been sent, or are lost.
func ExtensionTranscript(name string, messages []Message) []model.Message {
	var out, decided []model.Message // decided are the results of the calls of the last one in out
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
		out = append(append(out, decided...), sent)
		decided = nil
		for _, c := range m.Calls {
			if c.Done {
				decided = append(decided, model.Message{Role: model.RoleTool, ToolCallID: c.ID, Content: c.Result})
			}
		}
		if i == len(messages)-1 { // otherwise another message has made it too late
			out = append(out, decided...)
		}
	}
	return out
}
