package session

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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
