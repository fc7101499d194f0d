package session

import (
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// history is what a session's persisted events add up to. It is changed by
// apply only, live and on replay alike, so a resumed session cannot differ from
// one that never stopped.
type history struct {
	seq      uint64    // of the last event applied
	lastID   string    // end of the parentId chain
	started  time.Time // of session.start
	modified time.Time // of the last event

	cwd, gitRoot, repository, branch string
	model, effort, summary           string                   // the model in force; empty: the default
	title                            string                   // of the first user message
	saidMode                         string                   // the agent mode of the last message, if it had its own
	name                             named                    // given by call
	setMode                          wire.Mode                // empty: none was set
	system                           [sha256.Size]byte        // digest of the system message last recorded
	systemBytes                      int64                    // its length
	turns                            int                      // turn_starts so far: the next turn's id
	command                          typed                    // that a person has run, and that has not ended
	openTurn                         string                   // turn without an end; empty: none
	summarizing                      bool                     // a compaction has begun and not ended
	epoch                            int                      // rises when the conversation becomes another one
	outline                          outline                  // what lists show
	permissionMode                   wire.PermissionMode      // "" is manual
	approved                         []permit.Rule            // for the session
	lent                             map[string][]permit.Rule // by the skill that was loaded: what it allows
	conversation
	shown       []string                     // tools of clients that the model was offered and not told to be gone
	strange     int                          // lines that are no event
	strangeTold int                          // as many of them as a warning has told of
	assets      map[string]*wire.BinaryAsset // pictures that messages refer to, by id
	pending     []message                    // accepted from clients, not said yet
	permissions map[string]question          // by request id: asked, not answered
	external    map[string]question          // by request id: handed to a client
}

// nextTurn numbers turns over the whole life of a session, so that the count of
// turns is the count of model calls.
func (h *history) nextTurn() string { return strconv.Itoa(h.turns) }

// entry is one message of the conversation.
type entry struct {
	user  bool
	text  string
	parts []model.Part // of a user's message with pictures, in place of text
	// said is what a person wrote, earlier what people had written before, of a
	// message that is a summary.
	said    string
	earlier []string
	calls   []call // of an assistant's message
	cleared bool   // no part of the conversation any more; see [history.clears]
	// agent is the name of the agent that a message went to or came from, "" if that was
	// a model; references and later are as in [model.Message]. See agents.go.
	agent             string
	references, later json.RawMessage
}

// call is a tool call of an assistant's message.
type call struct {
	model.ToolCall
	started  bool
	done     bool
	result   string       // what the model reads; with done
	pictures []tool.Image // what it sees after that, their data in base64
}

// question is an open request to a client.
type question struct {
	toolCallID string
	tool       string
	data       json.RawMessage // of the event that asked
	seq        uint64          // and its place in the log
}

// call returns the open call of that id in the last message that made any.
// Providers number calls anew in each message, so an id means nothing beyond it.
func (h *history) call(id string) *call {
	calls, _ := h.lastCalls()
	for i := range calls {
		if calls[i].ID == id && !calls[i].done {
			return &calls[i]
		}
	}
	return nil
}

// open returns the calls without a result.
func (h *history) open() []call {
	calls, _ := h.lastCalls()
	return openOf(calls)
}

func openOf(calls []call) (open []call) {
	for _, c := range calls {
		if !c.done {
			open = append(open, c)
		}
	}
	return open
}

// asked returns the request id of the open question about a call, "" if none.
func asked(questions map[string]question, toolCallID string) string {
	for id, q := range questions {
		if q.toolCallID == toolCallID {
			return id
		}
	}
	return ""
}
