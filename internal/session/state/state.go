package state

import (
	"slices"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// State is the result of applying the events of a session. The zero value is a session
// without events. It is not safe for concurrent use.
type State struct {
	Seq      uint64    // position of the last applied event; 0 before the first
	LastID   string    // id of that event: the end of the parentId chain
	Started  time.Time // start time in session.start
	Origin   Origin    // how the log begins
	Modified time.Time // time of the last event

	// TracksFiles reports whether the session keeps old versions of the files that its tools
	// change.
	TracksFiles bool
	// Turns counts the turns of the main agent since the session was created, including
	// removed ones: the number of model calls, and the number of the next turn.
	Turns int
	// AgentStarts counts how often sub-agents were started since the last message that was sent
	// to an idle session.
	AgentStarts int
	// Epoch increases when the conversation is replaced by a summary, a rewind or a clear.
	// Work that was prepared for another epoch is out of date.
	Epoch int
	// Summarizing is true while a compaction runs, and Attempt is its id; "" in older logs.
	Summarizing bool
	Attempt     string
	// Unreadable counts lines that are not events. UnreadableReported is the number that
	// earlier warnings have reported.
	Unreadable, UnreadableReported int
	// SettingsIgnored are the warnings about settings of clients that have no effect, each once; the last 64.
	SettingsIgnored []string
	// Incomplete are the events whose content is missing and that no warning in the log
	// has reported, in the order of the log.
	Incomplete []Incomplete
	// Queue holds the messages that were accepted and that the model has not been sent,
	// the oldest first.
	Queue []Queued
	// Hold says what of it waits until the user goes on.
	Hold    wire.QueueHold
	Outline Outline
	// Schedule holds the prompts that are sent at certain times, in the order of their ids, and
	// LastScheduled the highest id that was ever given.
	Schedule      []schedule.Entry
	Background    []wire.CommandLeft // the commands that run in the background, of all agents, by their start
	LastScheduled int64

	Settings
	Conversation

	cuts   Spans                        // ranges of the log already removed from the conversation
	torn   []rewind                     // removals not yet applied; see Rebuild
	assets map[string]*wire.BinaryAsset // pictures that messages refer to, by id
}

// Apply applies one persisted event. seq is its position in the log. Events of
// unknown types, and data of a wrong shape, change nothing but the position: a log of
// another runtime is still a conversation. Events must come in the order of the log.
func (s *State) Apply(seq uint64, e wire.Event) {
	defer s.outline(e)
	s.Seq = seq
	if e.ID != "" {
		s.LastID = e.ID
	}
	if !e.Time.IsZero() {
		s.Modified = e.Time
	}
	data := wire.Raw(e.Data)
	s.ApplySettings(e)
	if e.Type == "session.info" {
		s.countBackground(data)
	}
	if e.AgentID != "" {
		s.applyToAgent(e.AgentID, e.Type, data)
		return
	}
	if fold := sessionFolds.Get()[e.Type]; fold != nil {
		fold(s, data, e.Time)
	}
	if fold := threadFolds.Get()[e.Type]; fold != nil {
		fold(&s.Main, s, data)
	}
	s.Main.trim(seq)
}

// ApplyUnreadable counts a line of the log that is not an event. seq is its position.
func (s *State) ApplyUnreadable(seq uint64) {
	s.Seq = seq
	s.Unreadable++
}

// Incomplete is an event that was too long for the log and whose content cannot be read.
type Incomplete struct {
	Payload string // where the content was stored
	Type    wire.EventType
	Time    time.Time
}

// AddIncomplete notes that the content of an event that was applied is missing. payload
// is where it was stored.
func (s *State) AddIncomplete(payload string, e wire.Event) {
	s.Incomplete = append(slices.Clip(s.Incomplete), Incomplete{payload, e.Type, e.Time})
}

// applyToAgent folds in an event of a sub-agent. Its thread begins with its first event.
func (s *State) applyToAgent(agentID string, t wire.EventType, data wire.Raw) {
	fold := threadFolds.Get()[t]
	if fold == nil {
		return
	}
	th := s.agentThread(agentID)
	fold(th, s, data)
	th.trim(s.Seq)
}

// NextTurn returns the id of an agent's next turn; agentID is "" for the main agent.
func (s *State) NextTurn(agentID string) string {
	if agentID == "" {
		return strconv.Itoa(s.Turns)
	}
	return strconv.Itoa(s.agent(agentID).Turns)
}

// EpochOf returns a number that changes when the conversation of an agent is replaced by a
// summary or, for the main agent, by a rewind or a clear; agentID is "" for the main agent.
func (s *State) EpochOf(agentID string) int {
	if agentID == "" {
		return s.Epoch
	}
	return s.agent(agentID).Summaries
}

// SummarizingOf reports whether a compaction of an agent's conversation runs.
func (s *State) SummarizingOf(agentID string) bool {
	if agentID == "" {
		return s.Summarizing
	}
	return s.agent(agentID).Summarizing
}

// sessionFolds are the events of the main agent that change the session as a whole, except
// for its settings, which settingsFolds has.
var sessionFolds = lazy.Value[map[wire.EventType]func(s *State, data wire.Raw, at time.Time)]{Make: func() map[wire.EventType]func(s *State, data wire.Raw, at time.Time) {
	return map[wire.EventType]func(s *State, data wire.Raw, at time.Time){
		"session.start":               (*State).startSession,
		"session.info":                (*State).applyInfo,
		"session.schedule_created":    (*State).addScheduled,
		"session.schedule_cancelled":  (*State).cancelScheduled,
		"session.warning":             (*State).applyWarning,
		"session.binary_asset":        (*State).keepAsset,
		"session.context_cleared":     (*State).clearConversation,
		"session.compaction_start":    func(s *State, data wire.Raw, _ time.Time) { s.Summarizing, s.Attempt = true, attemptOf(data) },
		"session.compaction_complete": (*State).applySummary,
		"user.message":                (*State).applyUserMessage,
		"abort":                       (*State).abort,
		"session.error":               (*State).fail,
		"session.shutdown":            (*State).runEnded,
		"session.resume":              (*State).resume,
		"assistant.turn_start":        (*State).countTurn,
		"skill.invoked":               func(s *State, data wire.Raw, _ time.Time) { s.addSkillRules(data) },
		"tool.user_requested":         func(s *State, data wire.Raw, _ time.Time) { s.startCommand(data) },
	}
}}

// threadFolds are the events that change the thread that they belong to: that of the main
// agent, or that of the sub-agent whose id the event carries.
var threadFolds = lazy.Value[map[wire.EventType]func(t *Thread, s *State, data wire.Raw)]{Make: func() map[wire.EventType]func(t *Thread, s *State, data wire.Raw) {
	return map[wire.EventType]func(t *Thread, s *State, data wire.Raw){
		"user.message":                (*Thread).addUserMessage,
		"assistant.message":           (*Thread).addAnswer,
		"skill.invoked":               (*Thread).addSkill,
		"assistant.turn_start":        (*Thread).startTurn,
		"assistant.turn_end":          (*Thread).endTurn,
		"tool.execution_start":        (*Thread).startCall,
		"tool.execution_complete":     (*Thread).completeCall,
		"session.truncation":          (*Thread).shortenResults,
		"session.warning":             (*Thread).leaveOut,
		"permission.requested":        (*Thread).requestPermission,
		"permission.completed":        (*Thread).completePermission,
		"external_tool.requested":     (*Thread).requestTool,
		"session.compaction_complete": (*Thread).compact,
		"session.compaction_start":    func(t *Thread, _ *State, data wire.Raw) { t.Summarizing, t.Attempt = t.AgentID != "", attemptOf(data) },
		"system.message":              (*Thread).setSystem,
		"tool_search.activated":       (*Thread).findTools,
		"system.notification":         (*Thread).addNotice,
		"abort":                       (*Thread).addCutOff,
		"subagent.started":            (*Thread).launch,
		"subagent.completed":          (*Thread).finish,
		"subagent.failed":             (*Thread).finish,
	}
}}
