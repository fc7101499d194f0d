package session

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// apply folds one persisted event in; seq is its position in the log. Events of
// types it does not know, and data that is not what it should be, leave the state
// as it is: a log of another runtime is still a conversation.
func (h *history) apply(seq uint64, e wire.Event) {
	defer h.sketch(e)
	h.seq = seq
	if e.ID != "" {
		h.lastID = e.ID
	}
	if !e.Time.IsZero() {
		h.modified = e.Time
	}
	if e.AgentID != "" {
		return // a sub-agent's conversation is its own
	}
	if fold := folds[e.Type]; fold != nil {
		fold(h, wire.Raw(e.Data), e.Time)
		h.trim(seq)
	}
}

// folds says which event changes what.
var folds = map[wire.EventType]func(h *history, data wire.Raw, at time.Time){
	"session.start":           (*history).begun,
	"session.resume":          func(h *history, data wire.Raw, _ time.Time) { h.selected(data) },
	"session.context_changed": func(h *history, data wire.Raw, _ time.Time) { h.moved(data) },
	"session.model_change":    (*history).switched,
	"session.mode_changed":    func(h *history, data wire.Raw, _ time.Time) { h.changesMode(data) },
	"session.info":            (*history).informed,
	"session.warning":         (*history).warned,
	"user.message":            (*history).asks,
	"system.message": func(h *history, data wire.Raw, _ time.Time) {
		text := data.Get("content").Text()
		h.system, h.systemBytes = digest(text), int64(len(text))
	},
	"tool.user_requested":         (*history).requested,
	"session.binary_asset":        (*history).keepsAsset,
	"skill.invoked":               (*history).learns,
	"session.context_cleared":     (*history).clears,
	"session.truncation":          (*history).trimmed,
	"session.compaction_start":    func(h *history, _ wire.Raw, _ time.Time) { h.summarizing = true },
	"session.compaction_complete": (*history).compacted,
	"assistant.turn_start":        (*history).begins,
	"assistant.turn_end":          (*history).ends,
	"assistant.message":           (*history).answers,
	"tool.execution_start":        (*history).starts,
	"tool.execution_complete":     (*history).completes,
	"permission.requested":        (*history).asksPermission,
	"permission.completed":        (*history).getsPermission,
	"external_tool.requested":     (*history).handsOut,
	"abort":                       func(h *history, _ wire.Raw, _ time.Time) { h.pending = nil; h.awaits("") },
	"session.error":               func(h *history, _ wire.Raw, _ time.Time) { h.awaits("") },
	"session.permissions_changed": (*history).changesPermissions,
}

func (h *history) begun(data wire.Raw, at time.Time) {
	h.started = data.Get("startTime").Time()
	if h.started.IsZero() {
		h.started = at
	}
	h.selected(data)
}

// selected takes over what a create or resume chose; what is absent stays.
func (h *history) selected(data wire.Raw) {
	for key, value := range data.Members() {
		switch string(key) {
		case "selectedModel":
			set(&h.model, value)
		case "reasoningEffort":
			set(&h.effort, value)
		case "reasoningSummary":
			set(&h.summary, value)
		case "context":
			h.moved(value)
		}
	}
}

func (h *history) moved(to wire.Raw) {
	h.cwd, h.gitRoot = to.Get("cwd").Text(), to.Get("gitRoot").Text()
	h.repository, h.branch = to.Get("repository").Text(), to.Get("branch").Text()
}

func (h *history) switched(data wire.Raw, _ time.Time) {
	h.model = data.Get("newModel").Text()
	set(&h.effort, data.Get("reasoningEffort"))
	set(&h.summary, data.Get("reasoningSummary"))
}

// passOver counts a line of the log that is an object and no event.
func (h *history) passOver(seq uint64) {
	h.seq = seq
	h.strange++
}

func (h *history) warned(data wire.Raw, _ time.Time) {
	if data.Get("warningType").Text() == logUnreadable {
		h.strangeTold = h.strange
	}
}

func (h *history) informed(data wire.Raw, _ time.Time) {
	switch data.Get("infoType").Text() {
	case messageQueued:
		if m, ok := parseQueued(data); ok {
			h.pending = append(h.pending, m)
		}
	case messagesDropped:
		h.forgets(data)
	case sessionNamed:
		h.isNamed(data)
	case historyTruncated:
		h.truncated(data)
	}
}

func (h *history) asks(data wire.Raw, _ time.Time) {
	shown := data.Get("content")
	said := ""
	switch data.Get("source").Text() {
	case sourceHook, sourceLimits, sourceAutopilot:
	default:
		said = shown.Text()
		if h.title == "" {
			h.title = title(shown.Text())
		}
		h.saidMode = data.Get("agentMode").Text()
	}
	if len(h.pending) > 0 {
		h.said(data.Get("messageId").Text(), shown.Text())
	}
	h.hidesTools(data)
	if sent := data.Get("transformedContent"); sent.IsString() {
		shown = sent
	}
	e := entry{user: true, text: shown.Text()}
	e.said = within(e.text, said)
	if attachments := data.Get("attachments"); attachments != nil {
		e.parts = prompt.Parts(e.text, attachments, func(id string) *wire.BinaryAsset { return h.assets[id] })
	}
	h.awaits("")
	if said != "" && h.saidMode == modeShell {
		h.awaits(said)
		return // the command is told with what it came to
	}
	e.agent, e.references = data.Get(fieldAgent).Text(), kept(data.Get(turn.FieldReferences))
	h.say(e)
}

// learns takes in a skill, which the model reads as a user's message of its own.
func (h *history) learns(data wire.Raw, _ time.Time) {
	text := prompt.SkillContext(data.Get("name").Text(), data.Get("path").Text(), data.Get("content").Text())
	h.say(entry{user: true, text: text})
	h.borrows(data)
}

// within returns part as a piece of text, so that it takes no memory of its own, if
// it is one.
func within(text, part string) string {
	if i := strings.Index(text, part); i >= 0 {
		return text[i : i+len(part)]
	}
	return part
}

// keepsAsset takes in a picture that a message will refer to.
func (h *history) keepsAsset(data wire.Raw, _ time.Time) {
	var asset wire.BinaryAsset
	if json.Unmarshal(data, &asset) == nil && asset.AssetID != "" {
		if h.assets == nil {
			h.assets = map[string]*wire.BinaryAsset{}
		}
		h.assets[asset.AssetID] = &asset
	}
}

func (h *history) answers(data wire.Raw, _ time.Time) {
	e := entry{text: data.Get("content").Text()}
	for r := range data.Get("toolRequests").Elements() {
		c := model.ToolCall{ID: r.Get("toolCallId").Text(), Name: r.Get("name").Text(), Arguments: sentArguments(r.Get("arguments"))}
		if c.ID != "" && c.Name != "" { // else no result can belong to it, and no provider takes it
			e.calls = append(e.calls, call{ToolCall: c})
		}
	}
	if name := data.Get("model").Text(); isAgent(name) {
		e.agent, e.references, e.later = name, kept(data.Get(turn.FieldReferences)), kept(data.Get(turn.FieldLater))
	}
	h.say(e)
}

// begins counts a turn. That of a call for a summary stands beside the conversation.
func (h *history) begins(data wire.Raw, _ time.Time) {
	h.turns++
	h.showsTools(data)
	if data.Get("purpose").Text() != forSummary {
		h.openTurn = data.Get("turnId").Text()
	}
}

func (h *history) ends(data wire.Raw, _ time.Time) {
	if data.Get("turnId").Text() == h.openTurn {
		h.openTurn = ""
	}
}

func (h *history) starts(data wire.Raw, _ time.Time) {
	c := h.call(data.Get("toolCallId").Text())
	if c == nil {
		return
	}
	c.started = true
	if made := data.Get("arguments"); made != nil { // hooks may have changed them
		c.Arguments = sentArguments(made)
	}
}

// completes gives the first open call of that id its result, and closes the
// questions that belonged to it.
func (h *history) completes(data wire.Raw, _ time.Time) {
	if data.Get("isUserRequested").True() {
		h.ran(data)
		return
	}
	id := data.Get("toolCallId").Text()
	if c := h.call(id); c != nil {
		c.done, c.result = true, data.Get("result").Get("content").Text()
		if failure := data.Get("error").Get("message").Text(); failure != "" {
			c.result = failure
		}
		for b := range data.Get("result").Get("binaryResultsForLlm").Elements() {
			if b.Get("type").Text() == "image" {
				c.pictures = append(c.pictures, tool.Image{
					Path: b.Get("description").Text(), MediaType: b.Get("mimeType").Text(), Data: []byte(b.Get("data").Text()),
				})
			}
		}
		h.held += len(c.result) + weight(c.pictures)
	}
	if len(h.entries) > 0 && h.entries[0].cleared {
		h.unclutter()
	}
	for _, questions := range []map[string]question{h.external, h.permissions} {
		for request, q := range questions {
			if q.toolCallID == id {
				delete(questions, request)
			}
		}
	}
}

func (h *history) asksPermission(data wire.Raw, _ time.Time) {
	about := data.Get("permissionRequest")
	q := question{toolCallID: about.Get("toolCallId").Text(), tool: about.Get("toolName").Text(), data: []byte(data), seq: h.seq}
	h.permissions = with(h.permissions, data.Get("requestId").Text(), q)
}

func (h *history) getsPermission(data wire.Raw, _ time.Time) {
	delete(h.permissions, data.Get("requestId").Text())
	h.approve(permitRules(wire.ResultRules(data.Get("result")), "approved for this session"))
}

// approve adds to what is approved for the session.
func (h *history) approve(rules []permit.Rule) {
	for _, r := range rules {
		if !slices.ContainsFunc(h.approved, r.Same) {
			h.approved = append(slices.Clip(h.approved), r)
		}
	}
}

// changesPermissions takes over the mode, and what is left of the approvals where
// that is told.
func (h *history) changesPermissions(data wire.Raw, _ time.Time) {
	h.permissionMode = wire.PermissionMode(data.Get("mode").Text())
	if left := data.Get("approvals"); left != nil {
		h.approved = nil
		h.approve(permitRules(wire.RulesOf(left), "approved for this session"))
	}
}

func (h *history) handsOut(data wire.Raw, _ time.Time) {
	q := question{toolCallID: data.Get("toolCallId").Text(), tool: data.Get("toolName").Text(), data: []byte(data)}
	h.external = with(h.external, data.Get("requestId").Text(), q)
}

// digest stands for a text that is only ever compared; zero for no text.
func digest(text string) (sum [sha256.Size]byte) {
	if text != "" {
		sum = sha256.Sum256([]byte(text))
	}
	return sum
}

// sentArguments is the reverse of turn.RawArguments: a JSON string stands for
// text that was no object.
func sentArguments(raw wire.Raw) string {
	switch {
	case raw.IsString():
		return raw.Text()
	case raw == nil:
		return "{}"
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

// set takes over a string that is there.
func set(dst *string, src wire.Raw) {
	if src.IsString() {
		*dst = src.Text()
	}
}

func with[V any](m map[string]V, id string, v V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[id] = v
	return m
}
