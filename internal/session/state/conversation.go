package state

import (
	"hash/maphash"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Conversation has the content of a session: the threads, and the data that belongs to
// them. Removing history replaces all of it.
type Conversation struct {
	Main Thread
	// Command is the shell command that the user has sent as a message and that has not
	// begun, "" for none. Commands are those that are running, by tool call id.
	Command  string
	Commands map[string]string
	// SkillRules are the rules of loaded skills, by the skill's name.
	SkillRules map[string][]permit.Rule
	// OfferedTools are the client tools that the model was offered, except for those that a
	// message has reported as removed.
	OfferedTools []string

	agents  map[string]*Thread // threads of sub-agents, by agent id
	keepAll bool               // for new threads; see [Thread.All]
}

// Thread returns the thread of an agent, "" for the main agent; nil if there is none.
func (c *Conversation) Thread(agentID string) *Thread {
	if agentID == "" {
		return &c.Main
	}
	return c.agents[agentID]
}

// agent returns the thread of a sub-agent, or an empty one if there is none.
func (c *Conversation) agent(agentID string) *Thread {
	if t := c.agents[agentID]; t != nil {
		return t
	}
	return &Thread{AgentID: agentID}
}

// Threads returns all threads: that of the main agent, then the others by agent id.
func (c *Conversation) Threads() []*Thread {
	all := []*Thread{&c.Main}
	for _, id := range slices.Sorted(maps.Keys(c.agents)) {
		all = append(all, c.agents[id])
	}
	return all
}

// agentThread returns the thread of a sub-agent, and starts it if necessary.
func (c *Conversation) agentThread(agentID string) *Thread {
	t := c.agents[agentID]
	if t == nil {
		t = &Thread{AgentID: agentID, keepAll: c.keepAll}
		c.agents = with(c.agents, agentID, t)
	}
	return t
}

func (c *Conversation) addSkillRules(data wire.Raw) {
	name := data.Get("name").Text()
	rules, _ := permit.SkillRules(name, wire.Texts(data.Get("allowedTools")))
	c.SkillRules = with(maps.Clone(c.SkillRules), name, rules)
}

// digests is the seed of [Digest].
var digests = lazy.Value[maphash.Seed]{Make: maphash.MakeSeed}

// Digest returns a fingerprint of a text, for comparisons within this process; zero for no text.
func Digest(text string) uint64 {
	if text == "" {
		return 0
	}
	return maphash.String(digests.Get(), text)
}

func (c *Conversation) startCommand(data wire.Raw) {
	text := data.Get("arguments").Get("command").Text()
	if text == c.Command {
		c.Command = ""
	}
	c.Commands = with(c.Commands, data.Get("toolCallId").Text(), text)
}

// completeCommand adds a command of the user and its output to the conversation.
func (c *Conversation) completeCommand(data wire.Raw) {
	id := data.Get("toolCallId").Text()
	c.Main.add(Message{FromUser: true, Text: "The user ran a command in the shell:\n$ " + c.Commands[id] + "\n" + resultText(data)})
	delete(c.Commands, id)
}

func with[V any](m map[string]V, id string, v V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[id] = v
	return m
}
