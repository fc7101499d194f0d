package state

import (
	"iter"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxHeld bounds the text of the main thread in memory, in bytes: about two million tokens,
// more than any context window. Older messages are only in the log and are read from there
// when they are sent again. The limit for a sub-agent's thread is an eighth of it, because a
// session may have many.
const (
	maxHeld      = 8 << 20
	maxHeldAgent = maxHeld / 8
)

// Thread is one conversation inside a session: that of the main agent, whose AgentID is
// empty, or that of a sub-agent. The newest messages are in memory. A copy of a thread
// stays as it is while the thread continues, as long as no call was open when it was made.
type Thread struct {
	AgentID  string
	OpenTurn string // id of the current turn; "" for none
	Finished bool   // the sub-agent has completed or failed
	Launch   Launch // how the sub-agent was started last; zero for the main agent
	// Turns counts the turns of a sub-agent. Those of the main agent are in [State].
	Turns int
	// Summaries counts how often messages were replaced by a summary. Summarizing is true
	// while a compaction of a sub-agent's conversation runs, and Attempt is its id; for the main agent they are in
	// [State].
	Summaries   int
	Summarizing bool
	Attempt     string
	// Unanswered means, of the main agent, that a run was begun and the log does not say that it has
	// ended: its process was killed, or it is under way.
	Unanswered bool
	// Broken means, of the main agent, that its last run has failed or was aborted, and that nothing was
	// asked since: the run can be continued.
	Broken bool
	// answered means that the last answer has no calls: the run ends with its turn.
	answered bool
	// System is the digest of the last recorded system message, zero for none; SystemBytes
	// is its length.
	System      uint64
	SystemBytes int64
	// Found are the deferred tools that are offered because they were found, in the order in which that was.
	Found []string
	// LeftOut is what the model no longer reads of Messages, and answeredWithout what it was with the last answer.
	LeftOut, answeredWithout wire.LeftOut
	Messages                 []Message
	Held                     int // bytes of text in Messages
	Released                 int // number of messages, the oldest, that are only in the log

	// Instructed are the ids of the instructions that were delivered on demand, since the last summary: a summary may
	// have lost them.
	Instructed []string

	// Permissions are the requests that have no answer, External the tool calls
	// that were handed to a client and have no result, both by request id.
	Permissions, External map[string]Request

	releasedAt uint64 // position of the event with which the last released message was complete
	keepAll    bool   // release nothing: the replay is for a caller that needs all messages
}

func (t *Thread) add(m Message) {
	if n := len(t.Messages); m.FromUser && n > 0 {
		m.AfterCutOff = t.Messages[n-1].CutOff
	}
	t.Messages = append(t.Messages, m)
	t.Held += m.Size()
}

// Len returns the number of messages, including those that are only in the log.
func (t *Thread) Len() int { return t.Released + len(t.Messages) }

// LastCalls returns the calls of the last message that has any, and the index of that
// message, -1 if there is none. Providers number calls anew in each message, so a call's id
// identifies it only within its message.
func (t *Thread) LastCalls() (calls []Call, at int) {
	for i := len(t.Messages) - 1; i >= 0; i-- {
		if len(t.Messages[i].Calls) > 0 {
			return t.Messages[i].Calls, i
		}
	}
	return nil, -1
}

// Call returns the open call with that id in the last message that has calls, nil if there
// is none.
func (t *Thread) Call(id string) *Call {
	calls, _ := t.LastCalls()
	for i := range calls {
		if calls[i].ID == id && !calls[i].Done {
			return &calls[i]
		}
	}
	return nil
}

// Open returns the calls without a result.
func (t *Thread) Open() []Call {
	calls, _ := t.LastCalls()
	return OpenCalls(calls)
}

// Working reports whether a turn is under way, or was when its process ended.
func (t *Thread) Working() bool { return t.OpenTurn != "" || len(t.Open()) > 0 }

// OpenExtension returns the Copilot Extensions agent whose confirmation is open, "" if there
// is none.
func (t *Thread) OpenExtension() string {
	if calls, at := t.LastCalls(); len(OpenCalls(calls)) > 0 {
		return t.Messages[at].Extension
	}
	return ""
}

// trim releases the oldest half of the messages if there is too much text, but never
// the last message and the last one with calls, whose results may still come.
func (t *Thread) trim(seq uint64) {
	limit := maxHeld
	if t.AgentID != "" {
		limit = maxHeldAgent
	}
	if t.Held <= limit || t.keepAll {
		return
	}
	last := len(t.Messages) - 1
	if _, at := t.LastCalls(); at >= 0 {
		last = min(last, at)
	}
	n := 0
	for ; n < last && t.Held > limit/2; n++ {
		t.Held -= t.Messages[n].Size()
	}
	if n > 0 {
		t.Messages = append([]Message(nil), t.Messages[n:]...) // a copy, to free the released messages
		t.Released += n
		t.releasedAt = seq
	}
}

// Release removes all messages from memory, unless a call is open, whose result has to find
// its message. seq is the position of the last event.
func (t *Thread) Release(seq uint64) {
	if t.keepAll || len(t.Open()) > 0 {
		return
	}
	t.Released += len(t.Messages)
	t.Messages, t.Held, t.releasedAt = nil, 0, seq
}

// Restore puts released messages into memory again, now that the caller has read all
// messages of was, unless they are too much to keep or the thread has changed since.
func (t *Thread) Restore(was Thread, all []Message) {
	if t.Released == 0 || t.Released != was.Released || t.releasedAt != was.releasedAt || len(t.Messages) != len(was.Messages) {
		return
	}
	size := 0
	for i := range all {
		size += all[i].Size()
	}
	if size <= maxHeld {
		t.Messages, t.Held, t.Released, t.releasedAt = all, size, 0, 0
	}
}

// All returns every message of a thread. Released messages are read from records, the whole
// log without the ranges in cuts. Neither the thread nor the state changes.
func (t Thread) All(cuts Spans, records iter.Seq2[eventlog.Record, error]) ([]Message, error) {
	if t.Released == 0 {
		return t.Messages, nil
	}
	s := State{Conversation: Conversation{Main: Thread{keepAll: true}, keepAll: true}}
	for rec, err := range cuts.Kept(records) {
		if err != nil {
			return nil, err
		}
		if rec.Pos > t.releasedAt {
			break
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			s.Apply(rec.Pos, e)
		}
	}
	read := s.Thread(t.AgentID)
	if read == nil {
		return t.Messages, nil
	}
	n := min(t.Released, len(read.Messages))
	return append(read.Messages[:n:n], t.Messages...), nil
}

// maxFound bounds the tools of a thread that were found. The oldest are deferred again.
const maxFound = 1024

// findTools notes tools that were found. One that was found before is the newest again: it was found once more because
// it was no longer offered.
func (t *Thread) findTools(_ *State, data wire.Raw) {
	names := wire.Texts(data.Get("toolNames"))
	found := slices.DeleteFunc(slices.Clone(t.Found), func(known string) bool { return slices.Contains(names, known) })
	for _, name := range names {
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	t.Found = found[max(0, len(found)-maxFound):]
}

// weigh recomputes the number of bytes in memory.
func (t *Thread) weigh() {
	t.Held = 0
	for i := range t.Messages {
		t.Held += t.Messages[i].Size()
	}
}
