package state

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Conversation is all threads of a session, and what belongs to them. Removing history
// replaces it as one value.
type Conversation struct {
	Main Thread
	// System is the digest of the system message that was recorded last, zero for none,
	// SystemBytes its length.
	System      [sha256.Size]byte
	SystemBytes int64
	// Command is the shell command of the user that has not ended.
	Command UserCommand
	// SkillRules are the rules that loaded skills brought, by the skill's name.
	SkillRules map[string][]permit.Rule
	// OfferedTools are the client tools that the model was offered, except for those that a
	// message has reported as removed.
	OfferedTools []string

	agents  map[string]*Thread // of sub-agents, by agent id
	keepAll bool               // for the threads that begin; see [Thread.All]
}

// Thread returns the thread of an agent, "" for the main agent, nil if there is none.
func (c *Conversation) Thread(agentID string) *Thread {
	if agentID == "" {
		return &c.Main
	}
	return c.agents[agentID]
}

// Threads returns all threads, that of the main agent first, the others by agent id.
func (c *Conversation) Threads() []*Thread {
	all := []*Thread{&c.Main}
	for _, id := range slices.Sorted(maps.Keys(c.agents)) {
		all = append(all, c.agents[id])
	}
	return all
}

// agentThread returns the thread of a sub-agent, which begins if there is none.
func (c *Conversation) agentThread(agentID string) *Thread {
	t := c.agents[agentID]
	if t == nil {
		t = &Thread{AgentID: agentID, keepAll: c.keepAll}
		c.agents = with(c.agents, agentID, t)
	}
	return t
}

// Rules are the rules of all loaded skills, by the skills' names.
func (c *Conversation) Rules() (rules []permit.Rule) {
	for _, name := range slices.Sorted(maps.Keys(c.SkillRules)) {
		rules = append(rules, c.SkillRules[name]...)
	}
	return rules
}

func (c *Conversation) addSkillRules(data wire.Raw) {
	name := data.Get("name").Text()
	rules, _ := permit.SkillRules(name, wire.Texts(data.Get("allowedTools")))
	c.SkillRules = with(maps.Clone(c.SkillRules), name, rules)
}

func (c *Conversation) setSystem(data wire.Raw) {
	text := data.Get("content").Text()
	c.System, c.SystemBytes = Digest(text), int64(len(text))
}

// Digest is a fingerprint of a text, to compare it with another; zero for no text.
func Digest(text string) (sum [sha256.Size]byte) {
	if text != "" {
		sum = sha256.Sum256([]byte(text))
	}
	return sum
}

// UserCommand is a shell command that the user runs. Without an ID it has not begun;
// the zero value is no command.
type UserCommand struct{ ID, Text string }

// expectCommand notes a command that is about to begin, "" for none.
func (c *Conversation) expectCommand(text string) {
	if c.Command.ID == "" {
		c.Command.Text = text
	}
}

func (c *Conversation) startCommand(data wire.Raw) {
	c.Command = UserCommand{data.Get("toolCallId").Text(), data.Get("arguments").Get("command").Text()}
}

// completeCommand adds a command of the user and its output to the conversation.
func (c *Conversation) completeCommand(data wire.Raw) {
	c.Main.add(Message{FromUser: true, Text: "The user ran a command in the shell:\n$ " + c.Command.Text + "\n" + resultText(data)})
	c.Command = UserCommand{}
}

func with[V any](m map[string]V, id string, v V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[id] = v
	return m
}
