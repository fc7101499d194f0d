package wire

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/github/copilot-sdk/go/rpc"
)

// OptionsPatched is the result of session.options.update.
type OptionsPatched = rpc.SessionUpdateOptionsResult

// Options are settings of a session under the names that sessions.open and session.options.update
// have for them: two are called differently there.
type Options struct {
	Config
	otherNames
}

// otherNames are the settings that are called differently.
type otherNames struct {
	Streaming    *bool         `json:"enableStreaming"`
	Capabilities *Capabilities `json:"modelCapabilitiesOverrides"`
}

// AsConfig returns the settings under the names of session.create.
func (o Options) AsConfig() Config {
	cfg := o.Config
	if o.otherNames.Streaming != nil {
		cfg.Streaming = o.otherNames.Streaming
	}
	if o.Capabilities != nil {
		cfg.ModelCapabilities = o.Capabilities
	}
	return cfg
}

// updatable are the settings that session.options.update changes. They mean the same as in
// session.create.
var updatable = []string{
	"askUserDisabled", "availableTools", "capi", "clientName", "continueOnAutoMode", "disabledInstructionSources", "disabledSkills",
	"enableFileHooks", "enableHostGitOperations", "enableReasoningSummaries", "enableSkills", "enableStreaming", "envValueMode", "excludedBuiltinAgents", "excludedTools",
	"includedBuiltinAgents", "installedPlugins", "model", "modelCapabilitiesOverrides", "organizationCustomInstructions", "provider",
	"reasoningEffort", "reasoningSummary", "sandbox", "sandboxConfig", "sessionId", "sessionLimits", "skillDirectories", "skipCustomInstructions",
	"suppressCustomAgentPrompt", "toolFilterPrecedence", "workingDirectory",
}

// OptionsPatch has the parameters of session.options.update. Settings that the method does not
// change are absent in it; [UnreadOptions] returns them.
type OptionsPatch struct{ Config }

// UnmarshalJSON implements [json.Unmarshaler]. Null is an absent value, except that it removes
// session limits and the list of built-in agents.
func (p *OptionsPatch) UnmarshalJSON(text []byte) error {
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(text, &sent); err != nil {
		return err
	}
	for name, value := range sent {
		i := slices.IndexFunc(updatable, func(known string) bool { return strings.EqualFold(known, name) })
		if i >= 0 && updatable[i] == name {
			continue
		}
		delete(sent, name)
		if i < 0 {
			continue
		}
		if _, exact := sent[updatable[i]]; !exact { // the case of names does not count, as in session.create
			sent[updatable[i]] = value
		}
	}
	changes, err := json.Marshal(sent)
	if err != nil {
		return err
	}
	var o Options
	if err := cmp.Or(json.Unmarshal(changes, &o.Config), json.Unmarshal(changes, &o.otherNames)); err != nil {
		return err // in parts, because an error would have the name of the part
	}
	p.Config = o.AsConfig()
	if string(sent["sessionLimits"]) == "null" {
		p.SessionLimits = &SessionLimits{}
	}
	p.AllAgents = string(sent["includedBuiltinAgents"]) == "null"
	return nil
}

// UnreadOpening returns which of the options of sessions.open have no effect.
func UnreadOpening(options Raw) Unread { return unreadOf(reflect.TypeFor[Options](), options) }

// whyFixed is the reason for a setting that session.options.update does not change.
const whyFixed = "session.options.update does not change it; send it with session.resume"

// UnreadOptions returns which of the parameters of session.options.update have no effect.
func UnreadOptions(params Raw) Unread {
	w := comparison{}
	w.members(updateMembers(), params, "", false)
	return w.found
}

// updateMembers are the members of the parameters of session.options.update.
var updateMembers = sync.OnceValue(func() members {
	known := members{}
	for name, m := range membersOf(reflect.TypeFor[Options]()) {
		if m.unread == nil && !slices.Contains(updatable, name) {
			m.unread = &Setting{Field: name, Why: whyFixed}
		}
		known[name] = m
	}
	return known
})
