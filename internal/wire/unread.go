package wire

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Setting is a field of session.create and session.resume on which this version does not
// act. [Config] has those on which it does. Delete the line of a setting when you implement it.
type Setting struct {
	// Field is its name, with a path for a field of a field: "tools[].defer".
	Field string
	// Kept lists the values that ask for what holds anyway, as JSON, separated by a space; "*"
	// stands for every value. Empty values never ask for anything: null, false, 0, "" and
	// lists and objects that have only such values.
	Kept string
	// Why completes "… has no effect, because".
	Why string
	// Refused settings fail the create or resume, because going on without them would do harm.
	// An empty object asks for them, too.
	Refused bool
}

// unreadSettings are the settings on which this version does not act. A test compares them and
// the fields of [Config] with the SDK's.
var unreadSettings = []Setting{
	{Field: "capi", Why: "the Copilot API is called without tiers"},
	{Field: "cloud", Refused: true, Why: "sessions run on this machine only, and a local session would act on other files; leave out cloud to have one"},
	{Field: "coauthorEnabled", Why: "there is no tool coauthor"},
	{Field: "configDir", Why: "the configuration folder is that of the process (COPILOT_HOME)"},
	{Field: "contextTier", Kept: `"default"`, Why: "each model has one context size"},
	{Field: "customAgentsLocalOnly", Kept: "*", Why: "no agents come from remote services"},
	{Field: "diagnostics", Why: "diagnostics are not collected"},
	{Field: "embeddingCacheStorage", Kept: "*", Why: "there are no embeddings"},
	{Field: "enableManagedSettings", Refused: true, Why: "the policy of the account is not fetched, and would not be enforced"},
	{Field: "enableOnDemandInstructionDiscovery", Why: "instructions are read when a run begins"},
	{Field: "enableSessionStore", Why: "sessions are not searched by other sessions"},
	{Field: "enableSessionTelemetry", Kept: "*", Why: "no telemetry is collected"},
	{Field: "expAssignments", Why: "there are no experiments"},
	{Field: "extensionSdkPath", Why: "there are no extensions"},
	{Field: "factories", Why: "there are no workflows"},
	{Field: "featureFlags", Why: "there are no feature flags"},
	{Field: "gitHubTokenProviderRegistrationId", Refused: true, Why: "tokens are not fetched from the client, and the session would act with the token of the process; send gitHubToken"},
	{Field: "isExperimentalMode", Why: "there are no experimental features"},
	{Field: "manageScheduleEnabled", Why: "there is no tool manage_schedule"},
	{Field: "memory", Why: "there is no memory across sessions"},
	{Field: "openCanvases", Why: "canvases are not opened again"},
	{Field: "refreshCustomInstructions", Kept: "*", Why: "each run reads the instructions again"},
	{Field: "remoteSession", Kept: `"off"`, Why: "sessions are not exported to GitHub"},
	{Field: "requestCanvasRenderer", Why: "models cannot open canvases"},
	{Field: "requestExtensions", Why: "there are no extensions"},
	{Field: "requestedEnvironmentVariables", Refused: true, Why: "there are no extensions, and the variables are not passed on"},
	{Field: "sandboxConfigSource", Kept: "*", Why: "all sandbox configurations have the same precedence"},
	{Field: "skipEmbeddingRetrieval", Kept: "*", Why: "there are no embeddings"},
	{Field: "toolSearch", Why: "every tool is offered from the beginning"},
	{Field: "tools[].defer", Kept: "*", Why: "every tool is offered from the beginning"},
	{Field: "tools[].metadata", Kept: "*", Why: "only the client uses it"},
	{Field: "tracestate", Kept: "*", Why: "spans do not contain it"},
	{Field: "workflows", Why: "there are no workflows"},
}

// SettingsWithoutEffect returns the settings on which this version does not act.
func SettingsWithoutEffect() []Setting { return unreadSettings }

// Unread are settings that a client has sent and that have no effect.
type Unread struct {
	// Settings are those to warn of, in the order of the parameters.
	Settings []Setting
	// Refused is the first one that must be refused; nil if there is none.
	Refused *Setting
}

const (
	maxUnread     = 40 // settings that are named
	maxUnreadName = 60 // bytes of the name of a setting that this version does not know
)

// UnreadSettings returns which settings in the parameters of session.create or session.resume
// have no effect. Fields that no version is known to have are among them.
func UnreadSettings(params Raw) (u Unread) {
	t := settingsTable()
	for name, value := range params.Members() {
		t.top.judge(&u, string(name), value, false)
		for field, inner := range fieldsIn(value, t.nested[string(name)]) {
			t.top.judge(&u, string(name)+field, inner, true)
		}
	}
	return u
}

// fieldsIn yields the fields of an object, or those of the objects in a list, with their path.
// prefix is "." or "[]."; "" yields nothing.
func fieldsIn(value Raw, prefix string) func(yield func(string, Raw) bool) {
	return func(yield func(string, Raw) bool) {
		object := func(o Raw) bool {
			for name, inner := range o.Members() {
				if !yield(prefix+string(name), inner) {
					return false
				}
			}
			return true
		}
		switch prefix {
		case ".":
			object(value)
		case "[].":
			for o := range value.Elements() {
				if !object(o) {
					return
				}
			}
		}
	}
}

// settings are fields by name; nil ones have an effect.
type settings map[string]*Setting

// judge adds a setting to u if it has no effect and asks for something. Of the fields of other
// fields only those in the table are judged.
func (known settings) judge(u *Unread, name string, value Raw, inner bool) {
	s, ok := known[name]
	switch {
	case !ok && inner:
		return
	case !ok:
		s = &Setting{Field: shortName(name), Why: "this version does not know it"}
	}
	if s == nil || s.Kept == "*" || asksNothing(value) && !(s.Refused && value[0] == '{') || contains(s.Kept, value) {
		return
	}
	if s.Refused && u.Refused == nil {
		u.Refused = s
	}
	for _, other := range u.Settings {
		if other.Field == s.Field {
			return
		}
	}
	if len(u.Settings) < maxUnread {
		u.Settings = append(u.Settings, *s)
	}
}

func contains(values string, value Raw) bool {
	for v := range strings.SplitSeq(values, " ") {
		if v == string(value) {
			return true
		}
	}
	return false
}

func shortName(name string) string {
	if len(name) > maxUnreadName {
		name = name[:maxUnreadName] + "…"
	}
	return strings.Trim(fmt.Sprintf("%q", name), `"`)
}

// asksNothing reports whether a value is empty: null, false, 0, "", or a list or object with
// only such values.
func asksNothing(value Raw) bool {
	switch string(value) {
	case "null", "false", "0", `""`:
		return true
	}
	if len(value) == 0 || value[0] != '{' && value[0] != '[' {
		return false
	}
	for _, inner := range value.Members() {
		if !asksNothing(inner) {
			return false
		}
	}
	for inner := range value.Elements() {
		if !asksNothing(inner) {
			return false
		}
	}
	return true
}

// settingsTable is every known field of session.create and session.resume.
var settingsTable = sync.OnceValue(func() (t struct {
	top    settings
	nested map[string]string // name of a field → "." or "[]." if the table has fields of it
},
) {
	t.top, t.nested = settings{}, map[string]string{}
	for f := range reflect.TypeFor[Config]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		t.top[name] = nil
	}
	for i, s := range unreadSettings {
		t.top[s.Field] = &unreadSettings[i]
		if name, _, ok := strings.Cut(s.Field, "[]."); ok {
			t.nested[name] = "[]."
		} else if name, _, ok := strings.Cut(s.Field, "."); ok {
			t.nested[name] = "."
		}
	}
	return t
})
