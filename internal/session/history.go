package session

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// history is what a session's persisted events add up to. It is changed by
// apply only, live and on replay alike, so a resumed session cannot differ from
// one that never stopped.
type history struct {
	lastID   string    // end of the parentId chain
	started  time.Time // of session.start
	modified time.Time // of the last event

	cwd, gitRoot, repository, branch string
	model, effort, summary           string // the model in force; empty: the default
	title                            string // of the first user message
	system                           string // the system message last recorded
	turns                            int    // turn_starts so far: the next turn's id
	openTurn                         string // turn without an end; empty: none
	rules                            permit.Rules
	repaired                         string // the last warning about damage
	entries                          []entry
	permissions                      map[string]question // by request id: asked, not answered
	external                         map[string]question // by request id: handed to a client
}

// entry is one message of the conversation.
type entry struct {
	user  bool
	text  string
	calls []call // of an assistant's message
}

// call is a tool call of an assistant's message.
type call struct {
	model.ToolCall
	started bool
	done    bool
	result  string // what the model reads; with done
}

// question is an open request to a client.
type question struct {
	toolCallID string
	tool       string
	data       json.RawMessage // of the event that asked
}

// payload is every field of every event's data that matters to the fold.
// Decoding them in one struct keeps arguments as raw bytes, so that a model
// reads its own words again, key by key.
type payload struct {
	StartTime          time.Time `json:"startTime"`
	SelectedModel      *string   `json:"selectedModel"`
	NewModel           string    `json:"newModel"`
	ReasoningEffort    *string   `json:"reasoningEffort"`
	ReasoningSummary   *string   `json:"reasoningSummary"`
	Context            *place    `json:"context"`
	place                        // of session.context_changed
	Content            string    `json:"content"`
	TransformedContent *string   `json:"transformedContent"`
	TurnID             string    `json:"turnId"`
	ToolRequests       []struct {
		ToolCallID string          `json:"toolCallId"`
		Name       string          `json:"name"`
		Arguments  json.RawMessage `json:"arguments"`
	} `json:"toolRequests"`
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Result     struct {
		Content  string `json:"content"` // of a tool
		Kind     string `json:"kind"`    // of a permission
		Approval struct {
			ToolName string `json:"toolName"`
		} `json:"approval"`
	} `json:"result"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	RequestID         string `json:"requestId"`
	WarningType       string `json:"warningType"`
	Message           string `json:"message"`
	PermissionRequest struct {
		ToolCallID string `json:"toolCallId"`
		ToolName   string `json:"toolName"`
	} `json:"permissionRequest"`
}

type place struct {
	Cwd        string `json:"cwd"`
	GitRoot    string `json:"gitRoot"`
	Repository string `json:"repository"`
	Branch     string `json:"branch"`
}

// apply folds one persisted event in. Events of types it does not know, and data
// that does not decode, leave the state as it is: a log of another runtime is
// still a conversation.
func (h *history) apply(e wire.Event) {
	if e.ID != "" {
		h.lastID = e.ID
	}
	if !e.Time.IsZero() {
		h.modified = e.Time
	}
	if e.AgentID != "" {
		return // a sub-agent's conversation is its own
	}
	fold := folds[e.Type]
	if fold == nil {
		return
	}
	var p payload
	if err := json.Unmarshal(e.Data, &p); err != nil {
		return
	}
	fold(h, &p, e)
}

// folds says which event changes what.
var folds = map[wire.EventType]func(h *history, p *payload, e wire.Event){
	"session.start": func(h *history, p *payload, e wire.Event) {
		h.started = p.StartTime
		if h.started.IsZero() {
			h.started = e.Time
		}
		h.selected(p)
	},
	"session.resume":          func(h *history, p *payload, _ wire.Event) { h.selected(p) },
	"session.context_changed": func(h *history, p *payload, _ wire.Event) { h.moved(&p.place) },
	"session.model_change": func(h *history, p *payload, _ wire.Event) {
		h.model = p.NewModel
		set(&h.effort, p.ReasoningEffort)
		set(&h.summary, p.ReasoningSummary)
	},
	"user.message": func(h *history, p *payload, _ wire.Event) {
		if h.title == "" {
			h.title = title(p.Content)
		}
		text := p.Content
		set(&text, p.TransformedContent)
		h.entries = append(h.entries, entry{user: true, text: text})
	},
	"system.message":       func(h *history, p *payload, _ wire.Event) { h.system = p.Content },
	"assistant.turn_start": func(h *history, p *payload, _ wire.Event) { h.turns++; h.openTurn = p.TurnID },
	"assistant.turn_end":   func(h *history, _ *payload, _ wire.Event) { h.openTurn = "" },
	"assistant.message":    func(h *history, p *payload, _ wire.Event) { h.answered(p) },
	"tool.execution_start": func(h *history, p *payload, _ wire.Event) {
		if c := h.call(p.ToolCallID); c != nil {
			c.started = true
		}
	},
	"tool.execution_complete": func(h *history, p *payload, _ wire.Event) { h.completed(p) },
	"session.warning": func(h *history, p *payload, _ wire.Event) {
		if p.WarningType == logRepaired {
			h.repaired = p.Message
		}
	},
	"permission.requested": func(h *history, p *payload, e wire.Event) {
		q := question{toolCallID: p.PermissionRequest.ToolCallID, tool: p.PermissionRequest.ToolName, data: e.Data}
		h.permissions = with(h.permissions, p.RequestID, q)
	},
	"permission.completed": func(h *history, p *payload, _ wire.Event) {
		delete(h.permissions, p.RequestID)
		if p.Result.Kind == "approved-for-session" && p.Result.Approval.ToolName != "" {
			h.rules = h.rules.Allowing(p.Result.Approval.ToolName)
		}
	},
	"external_tool.requested": func(h *history, p *payload, e wire.Event) {
		h.external = with(h.external, p.RequestID, question{toolCallID: p.ToolCallID, tool: p.ToolName, data: e.Data})
	},
}

func (h *history) selected(p *payload) {
	set(&h.model, p.SelectedModel)
	set(&h.effort, p.ReasoningEffort)
	set(&h.summary, p.ReasoningSummary)
	if p.Context != nil {
		h.moved(p.Context)
	}
}

func (h *history) moved(to *place) {
	h.cwd, h.gitRoot, h.repository, h.branch = to.Cwd, to.GitRoot, to.Repository, to.Branch
}

func (h *history) answered(p *payload) {
	e := entry{text: p.Content}
	for _, r := range p.ToolRequests {
		e.calls = append(e.calls, call{ToolCall: model.ToolCall{ID: r.ToolCallID, Name: r.Name, Arguments: sentArguments(r.Arguments)}})
	}
	h.entries = append(h.entries, e)
}

// completed gives the first open call of that id its result, and closes the
// questions that belonged to it.
func (h *history) completed(p *payload) {
	if c := h.call(p.ToolCallID); c != nil {
		c.done, c.result = true, p.Result.Content
		if p.Error.Message != "" {
			c.result = p.Error.Message
		}
	}
	for id, q := range h.external {
		if q.toolCallID == p.ToolCallID {
			delete(h.external, id)
		}
	}
	for id, q := range h.permissions {
		if q.toolCallID == p.ToolCallID {
			delete(h.permissions, id)
		}
	}
}

// call returns the open call of that id in the last message that made any.
// Providers number calls anew in each message, so an id means nothing beyond it.
func (h *history) call(id string) *call {
	calls := h.lastCalls()
	for i := range calls {
		if calls[i].ID == id && !calls[i].done {
			return &calls[i]
		}
	}
	return nil
}

func (h *history) lastCalls() []call {
	for i := len(h.entries) - 1; i >= 0; i-- {
		if len(h.entries[i].calls) > 0 {
			return h.entries[i].calls
		}
	}
	return nil
}

// open returns the calls without a result.
func (h *history) open() []call {
	var open []call
	for _, c := range h.lastCalls() {
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

// sentArguments is the reverse of turn.RawArguments: a JSON string stands for
// text that was no object.
func sentArguments(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// title is the first line of a message, at most 60 runes.
func title(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if runes := []rune(line); len(runes) > 60 {
		return strings.TrimSpace(string(runes[:59])) + "…"
	}
	return line
}

func set(dst *string, src *string) {
	if src != nil {
		*dst = *src
	}
}

func with(m map[string]question, id string, q question) map[string]question {
	if m == nil {
		m = map[string]question{}
	}
	m[id] = q
	return m
}
