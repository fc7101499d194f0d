package state

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Settings has the choices of clients for a session that are stored in the log. A field is
// empty until a client chooses a value. Removing history does not change settings, because
// they apply to the future.
type Settings struct {
	Cwd, GitRoot, Repository, Branch string // working directory and its repository

	Model            string // empty: the provider's default
	Switched         bool   // Model was chosen after the create or resume that named one last
	ClientProvider   bool   // the model calls go to a provider that a client brings with each resume
	ReasoningEffort  string
	ReasoningSummary string

	Title string // the first line of the first message
	Name  wire.SessionName

	Mode        wire.Mode // mode of the session; empty: interactive
	MessageMode string    // agent mode of the last message, for its run

	// SkipsInstructions leaves the files with instructions unread, such as AGENTS.md.
	SkipsInstructions bool
	// DisabledServers are the MCP servers that clients have disabled, by name.
	DisabledServers []string

	Agent string // name of the custom agent that was selected; empty: the default agent

	PermissionMode wire.PermissionMode // empty: manual
	Approved       []permit.Rule       // approved for the session

	NanoAIU float64 // what the session has cost at the GitHub service, in billionths of an AI credit
}

// settingsFolds maps events to their changes of settings. A user message
// also changes the title and the mode of its run; see [State.applyUserMessage].
var settingsFolds = lazy.Value[map[wire.EventType]func(s *Settings, data wire.Raw)]{Make: func() map[wire.EventType]func(s *Settings, data wire.Raw) {
	return map[wire.EventType]func(s *Settings, data wire.Raw){
		"session.start":               (*Settings).selectModel,
		"session.resume":              (*Settings).selectModel,
		"session.context_changed":     (*Settings).setFolder,
		"session.model_change":        (*Settings).switchModel,
		"session.mode_changed":        (*Settings).setMode,
		"session.permissions_changed": (*Settings).changePermissions,
		"session.info":                (*Settings).applyInfo,
		"permission.completed":        (*Settings).addApprovals,
		"session.usage_checkpoint":    (*Settings).countCost,
		"subagent.selected":           func(s *Settings, data wire.Raw) { s.Agent = data.Get("agentName").Text() },
		"subagent.deselected":         func(s *Settings, _ wire.Raw) { s.Agent = "" },
	}
}}

// countCost notes what the session has cost so far.
func (s *Settings) countCost(data wire.Raw) {
	var total float64
	if json.Unmarshal(data.Get("totalNanoAiu"), &total) == nil {
		s.NanoAIU = max(total, s.NanoAIU)
	}
}

// ApplySettings folds the settings in that an event changes, for a caller that reads a log
// and needs no conversation. An approval for the session holds for all its agents,
// whichever of them asked; other events of sub-agents change no settings.
func (s *Settings) ApplySettings(e wire.Event) {
	if fold := settingsFolds.Get()[e.Type]; fold != nil && (e.AgentID == "" || e.Type == "permission.completed") {
		fold(s, wire.Raw(e.Data))
	}
}

// Label is what lists call the session: its name, else its title, else "".
func (s *Settings) Label() string { return cmp.Or(s.Name.Name, s.Title) }

// Modes are the modes of a session; sessions start in the first.
var Modes = []wire.Mode{"interactive", "plan", "autopilot"}

// SessionMode returns the mode of the session, without regard to the last message.
func (s *Settings) SessionMode() wire.Mode { return cmp.Or(s.Mode, Modes[0]) }

// ModeNow returns the current mode: that of the last message if it has one.
func (s *Settings) ModeNow() string { return cmp.Or(s.MessageMode, string(s.SessionMode())) }

// Origin is what the first session.start event of a log says, from which package approval
// finds out who made the session.
type Origin struct {
	ID      string // of the event
	Started string // startTime, as it is written there
	Cwd     string // working directory
}

// OriginOf returns the origin in a session.start event.
func OriginOf(id string, data wire.Raw) Origin {
	return Origin{id, data.Get("startTime").Text(), data.Get("context").Get("cwd").Text()}
}

func (s *State) startSession(data wire.Raw, at time.Time) {
	if s.Origin == (Origin{}) {
		s.Origin = OriginOf(s.LastID, data)
	}
	s.TracksFiles = data.Get(wire.FieldTracking).True()
	s.Started = data.Get("startTime").Time()
	if s.Started.IsZero() {
		s.Started = at
	}
}

// selectModel applies the settings of a create or resume; absent fields stay unchanged.
func (s *Settings) selectModel(data wire.Raw) {
	for key, value := range data.Members() {
		switch string(key) {
		case "selectedModel":
			setText(&s.Model, value)
			s.Switched = false
		case "reasoningEffort":
			setText(&s.ReasoningEffort, value)
		case "reasoningSummary":
			setText(&s.ReasoningSummary, value)
		case wire.FieldProvidedBy:
			s.ClientProvider = value.Text() == wire.ByClient
		case "context":
			s.setFolder(value)
		}
	}
}

func (s *Settings) setFolder(to wire.Raw) {
	s.Cwd, s.GitRoot = to.Get("cwd").Text(), to.Get("gitRoot").Text()
	s.Repository, s.Branch = to.Get("repository").Text(), to.Get("branch").Text()
}

func (s *Settings) switchModel(data wire.Raw) {
	was := s.Model
	s.Model = data.Get("newModel").Text()
	s.Switched = s.Switched || s.Model != was
	if by := data.Get(wire.FieldProvidedBy); by != nil {
		s.ClientProvider = by.Text() == wire.ByClient
	}
	setText(&s.ReasoningEffort, data.Get("reasoningEffort"))
	setText(&s.ReasoningSummary, data.Get("reasoningSummary"))
}

// setMode changes the mode; an unknown mode is ignored. The new mode also applies to the
// current run.
func (s *Settings) setMode(data wire.Raw) {
	if mode := wire.Mode(data.Get("newMode").Text()); slices.Contains(Modes, mode) {
		s.Mode, s.MessageMode = mode, ""
	}
}

func (s *Settings) applyInfo(data wire.Raw) {
	switch data.Get("infoType").Text() {
	case wire.InfoSessionNamed:
		s.setName(data)
	case wire.InfoInstructionsSkipped:
		s.SkipsInstructions = data.Get(wire.FieldSkipped).True()
	case wire.InfoServersDisabled:
		s.setDisabled(data)
	}
}

// setDisabled replaces the list of disabled servers; one that cannot be read changes nothing.
func (s *Settings) setDisabled(data wire.Raw) {
	var names []string
	if json.Unmarshal(data.Get(wire.FieldDisabled), &names) == nil {
		s.DisabledServers = names
	}
}

func (s *Settings) setName(data wire.Raw) {
	var n wire.SessionName
	if json.Unmarshal(data.Get(wire.FieldNamed), &n) == nil && n.Name != "" {
		s.Name = n
	}
}

// approvedForSession is the origin of rules that a user approved for the session.
const approvedForSession = "approved for this session"

func (s *Settings) addApprovals(data wire.Raw) {
	s.approve(permit.FromWire(wire.ResultRules(data.Get("result")), approvedForSession))
}

func (s *Settings) approve(rules []permit.Rule) {
	for _, r := range rules {
		if !slices.ContainsFunc(s.Approved, r.Same) {
			s.Approved = append(slices.Clip(s.Approved), r)
		}
	}
}

// changePermissions applies the permission mode and, if the event lists them, the remaining
// approvals.
func (s *Settings) changePermissions(data wire.Raw) {
	s.PermissionMode = wire.PermissionMode(data.Get("mode").Text())
	if left := data.Get("approvals"); left != nil {
		s.Approved = nil
		s.approve(permit.FromWire(wire.RulesOf(left), approvedForSession))
	}
}

func (s *State) applyInfo(data wire.Raw, _ time.Time) {
	switch data.Get("infoType").Text() {
	case wire.InfoMessageQueued:
		s.enqueue(data)
	case wire.InfoQueueOrdered:
		s.orderQueue(data)
	case wire.InfoQueueHeld:
		s.hold(data)
	case wire.InfoMessagesDropped:
		s.dropQueued(data)
	case wire.InfoHistoryTruncated:
		s.truncate(data)
		s.Main.Unanswered = false
	case wire.InfoRunEnded:
		s.Main.Unanswered = false
	}
}

// The warning types about a log: it was damaged and has been repaired, it holds lines that
// are no events, or the content of events is missing.
const (
	WarningLogRepaired    = "log_repaired"
	WarningLogUnreadable  = "log_unreadable"
	WarningContentMissing = "content_missing"
)

// WarningSettingsIgnored is the type of the warning that names the settings of a client that
// have no effect.
const WarningSettingsIgnored = "settings_ignored"

// maxIgnored bounds the warnings about settings that are remembered. A client sends the same few settings
// with each of its methods.
const maxIgnored = 64

// WarningReasoning is the type of the warning that a model does not take the effort, or give the
// summaries, that were asked for.
const WarningReasoning = "reasoning"

func (s *State) applyWarning(data wire.Raw, _ time.Time) {
	switch data.Get("warningType").Text() {
	case wire.WarningBudget:
		s.Main.Unanswered = false
	case WarningLogUnreadable:
		s.UnreadableReported = s.Unreadable
	case WarningSettingsIgnored:
		message := data.Get("message").Text()
		known := slices.DeleteFunc(slices.Clone(s.SettingsIgnored), func(m string) bool { return m == message })
		s.SettingsIgnored = append(known[max(0, len(known)-maxIgnored+1):], message)
	case WarningContentMissing:
		reported := wire.Texts(data.Get(wire.FieldPayloads))
		s.Incomplete = slices.DeleteFunc(slices.Clone(s.Incomplete), func(i Incomplete) bool { return slices.Contains(reported, i.Payload) })
	}
}

// titleOf returns the first line of a message, at most 60 runes.
func titleOf(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	line = strings.Join(strings.Fields(line), " ")
	if runes := []rune(line); len(runes) > 60 {
		return strings.TrimSpace(string(runes[:59])) + "…"
	}
	return line
}

// setText copies a string if it is present.
func setText(dst *string, src wire.Raw) {
	if src.IsString() {
		*dst = src.Text()
	}
}
