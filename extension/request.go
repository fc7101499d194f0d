package extension

import "strings"

// session is the name of the message in which github.com tells the agent the time
// and who asks. Its role is user; one library expects system.
const session = "_session"

// last returns the message to answer, nil if there is none.
func (r *Request) last() *Message {
	if len(r.Messages) == 0 {
		return nil
	}
	return &r.Messages[len(r.Messages)-1]
}

// Prompt returns the text of the last message: what the person wrote now. Without
// the agent's own name, that is, which stands before the first text of a chat as
// "@slug": a first word that is @ and Agent, in any case, or any that begins with @
// if the request does not say who the agent is. Of an answer to a confirmation it is
// empty, or a button's label: ask for the [Request.Decision] first.
func (r *Request) Prompt() string {
	if m := r.last(); m != nil {
		return r.unaddressed(m.Content)
	}
	return ""
}

// unaddressed returns text without the slug that addresses the agent.
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

// Decision returns a person's answer to a confirmation if the last message brings
// one, nil else. Then the person has typed something else, and a question that was
// open is void.
//
// Its Data has been in the person's hands: trust it only if it is signed, or
// an id of something you kept, for this thread and person. If several were answered
// at once, which one client can, it is the first; the others are in Messages.
func (r *Request) Decision() *Decision {
	m := r.last()
	if m == nil || len(m.Decisions) == 0 {
		return nil
	}
	return &m.Decisions[0]
}

// Find returns the references of a type, such as "client.selection", that any message
// carries: those of the last message first, and within a message in order. "" is
// every type. Some clients send those of a turn in an empty message before it.
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

// Login returns the login of the person who asks, "" if the request does not say:
// github.com does, editors do not. It is as true as the signature; what an agent may
// do for a person is for the Token to say.
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

// loginIn finds the line of the login. The lines before it have changed, from
//
//	Current Date and Time (UTC): 2024-08-26 19:43:13
//	User's Current URL: https://github.com/octocat/hello-world
//	Current User's Login: octocat
//
// to another wording of the first and no second; this one has not.
func loginIn(text string) string {
	for line := range strings.Lines(text) {
		if login, ok := strings.CutPrefix(strings.TrimSpace(line), "Current User's Login:"); ok {
			return strings.TrimSpace(login)
		}
	}
	return ""
}

// Conversation returns the messages that a model should read, in order: without what
// the platform says about the person, and without messages that say nothing, such as
// those that only carry references or a decision, which some models refuse. The
// "@slug" of [Request.Prompt] is taken off the person's texts. References are left
// where they are, for the caller to fold in; [Request.Find] has those of all messages.
func (r *Request) Conversation() []Message {
	var said []Message
	for _, m := range r.Messages {
		if m.isSession() || m.isEmpty() {
			continue
		}
		if m.Role == "user" {
			m.Content = r.unaddressed(m.Content)
		}
		said = append(said, m)
	}
	return said
}

// isEmpty reports whether a message says nothing. An answer of a tool says something
// even if it has no text: a model that called the tool waits for it.
func (m *Message) isEmpty() bool {
	if m.ToolCallID != "" || m.Role == "function" || len(m.ToolCalls) > 0 {
		return false
	}
	_, hasParts := m.Rest["content"]
	_, hasCall := m.Rest["function_call"] // before tool_calls there was this
	return strings.TrimSpace(m.Content) == "" && !hasParts && !hasCall
}
