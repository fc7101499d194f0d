package extension

import (
	"maps"
	"slices"
	"strings"
)

// session is the name of the message in which github.com sends the agent the time and the
// user's login. Its role is user; one library expects system.
const session = "_session"

// last returns the message to answer, nil if there is none.
func (r *Request) last() *Message {
	if len(r.Messages) == 0 {
		return nil
	}
	return &r.Messages[len(r.Messages)-1]
}

// Prompt returns the text of the last message: what the user wrote now. A leading "@slug",
// which addresses the agent at the start of a chat, is removed: a first word that is @ and
// Agent, in any case, or any word that begins with @ if the request does not name the agent.
// If the message is a decision on a confirmation, the text is empty or the label of a
// button, so call [Request.Decision] first.
func (r *Request) Prompt() string {
	if m := r.last(); m != nil {
		return r.unaddressed(m.Content)
	}
	return ""
}

// unaddressed returns text without the leading slug of the agent.
func (r *Request) unaddressed(text string) string {
	name, isAddressed := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "@")
	if !isAddressed {
		return text
	}
	rest := ""
	if end := strings.IndexAny(name, " \t\r\n"); end >= 0 {
		name, rest = name[:end], strings.TrimLeft(name[end:], " \t\r\n")
	}
	if name == "" || r.Agent != "" && !strings.EqualFold(name, r.Agent) {
		return text
	}
	return rest
}

// Decision returns the user's decision on a confirmation if the last message carries one, or
// nil; then the user typed something else, and an open confirmation is void.
//
// Its Data has passed through the client. Trust it only if it is signed, or if it is an id
// of something that you stored for this thread and user. One client can send several
// decisions in one message: Decision returns the first, and Messages has the others.
func (r *Request) Decision() *Decision {
	m := r.last()
	if m == nil || len(m.Decisions) == 0 {
		return nil
	}
	return &m.Decisions[0]
}

// Find returns the references of one type, such as "client.selection", from all messages:
// those of the last message first, and within a message in order. "" means every type. Some
// clients send the references of a request in an empty message before its text.
func (r *Request) Find(kind string) []Reference {
	var found []Reference
	for i := len(r.Messages) - 1; i >= 0; i-- {
		for _, ref := range r.Messages[i].References {
			if kind == "" || ref.Type == kind {
				found = append(found, ref)
			}
		}
	}
	return found
}

// Login returns the user's login, "" if the request has none. github.com sends it, editors
// do not. It is only as trustworthy as the signature of the request. Use the Token to find
// out what the agent may do for the user.
func (r *Request) Login() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if m := &r.Messages[i]; m.isSession() {
			return loginIn(m.Content)
		}
	}
	return ""
}

func (m *Message) isSession() bool {
	return m.Name == session && (m.Role == "user" || m.Role == "system")
}

// loginIn finds the line with the login. The wording of the lines before it has changed,
// from
//
//	Current Date and Time (UTC): 2024-08-26 19:43:13
//	User's Current URL: https://github.com/octocat/hello-world
//	Current User's Login: octocat
//
// to another first line and no second one; the line with the login has stayed the same.
func loginIn(text string) string {
	for line := range strings.Lines(text) {
		if login, ok := strings.CutPrefix(strings.TrimSpace(line), "Current User's Login:"); ok {
			return strings.TrimSpace(login)
		}
	}
	return ""
}

// Conversation returns the messages to send to a model, in order: without the platform's
// _session message and without empty messages, such as those that only carry references,
// which some models refuse. A message with a decision and no text gets the text "Accepted." or
// "Dismissed."; two answers of the agent that are in a row then become one, because some
// models refuse two. The "@slug" of [Request.Prompt] is removed from the user's texts.
// References stay in their messages, for the caller to add to the text; [Request.Find] returns
// those of all messages.
func (r *Request) Conversation() []Message {
	var said []Message
	for _, m := range r.Messages {
		if len(m.Decisions) > 0 && strings.TrimSpace(m.Content) == "" {
			m.Content = DecisionText("", m.Decisions[0].Accepted)
		}
		if m.isSession() || m.isEmpty() {
			continue
		}
		if m.Role == "user" {
			m.Content = r.unaddressed(m.Content)
		}
		if n := len(said); n > 0 && said[n-1].continues(&m) {
			said[n-1] = said[n-1].with(&m)
			continue
		}
		said = append(said, m)
	}
	return said
}

// continues reports whether two messages are texts of the agent, without a call or a result of
// a tool.
func (m *Message) continues(next *Message) bool {
	for _, one := range []*Message{m, next} {
		if _, hasCall := one.Rest["function_call"]; hasCall || one.Role != "assistant" || len(one.ToolCalls) > 0 {
			return false
		}
	}
	return true
}

// with returns both messages as one. Of their other fields those of the first count.
func (m *Message) with(next *Message) Message {
	both := *m
	both.Content = strings.Join([]string{m.Content, next.Content}, "\n\n")
	both.References = slices.Concat(m.References, next.References)
	both.Rest = maps.Clone(m.Rest)
	delete(both.Rest, "content") // the parts of the first alone
	return both
}

// isEmpty reports whether a message has no content. A tool result counts as content even if
// its text is empty, because the model that called the tool waits for it.
func (m *Message) isEmpty() bool {
	if m.ToolCallID != "" || m.Role == "function" || len(m.ToolCalls) > 0 {
		return false
	}
	_, hasParts := m.Rest["content"]
	_, hasCall := m.Rest["function_call"] // the older form of tool_calls
	return strings.TrimSpace(m.Content) == "" && !hasParts && !hasCall
}
