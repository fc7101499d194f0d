package peerfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// Settings is what a .claude/settings.json says, but for its hooks.
type Settings struct {
	// Deny and Ask make things stricter, so they count without trust. Allow and Folders need it.
	Deny, Ask, Allow []permit.Rule
	// Folders are further folders to work in, as the file writes them.
	Folders []string
	// Refuses means that what no rule allows is refused, and nobody is asked.
	Refuses bool
	// Warnings say what has no effect, or another one than in Claude Code.
	Warnings []string
}

// Origin is where a settings file comes from, for what it means by paths.
type Origin struct {
	// Name is the name of the file in reasons and warnings.
	Name string
	// Project is the folder that the file is for, resolved, Home the home folder of the user; "" for none.
	Project, Home string
}

// mostRules bounds the rules of one list. Files have a few dozen.
const mostRules = 500

// programs are settings that name a program, and settings by which a program would get variables: they are
// never used from a file of a repository.
var programs = []string{"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "statusLine", "headersHelper", "otelHeadersHelper", "fileSuggestion"}

// ParseSettings reads a settings file of Claude Code.
func ParseSettings(text []byte, from Origin) (s Settings, err error) {
	var members map[string]json.RawMessage
	if err := fault.DecodeObject(jsonc.Plain(text), &members); err != nil {
		return s, err
	}
	var others []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch value := members[name]; {
		case name == "$schema" || name == "hooks" || name == "disableAllHooks":
		case name == "permissions":
			s.permissions(value, from)
		case name == "env":
			s.warn("env is not set, because variables could make programs run or send keys elsewhere: %s", keysOf(value))
		case slices.Contains(programs, name):
			s.warn("the program of %s is never run", name)
		case name == "model":
			s.warn("model has no effect; choose a model with -m, or in .sidestick/config.jsonc")
		default:
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		s.warn("these have no effect: %.400s", strings.Join(others, ", "))
	}
	return s, nil
}

func (s *Settings) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// keysOf lists the names in an object.
func keysOf(value json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		return "it is no object"
	}
	return fmt.Sprintf("%.400s", strings.Join(slices.Sorted(maps.Keys(members)), ", "))
}

// permissions reads the member of that name.
func (s *Settings) permissions(value json.RawMessage, from Origin) {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil || members == nil {
		s.warn("permissions is no object, so nothing in it has an effect")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch name {
		case "deny":
			s.Deny = s.rules(name, members[name], from)
		case "ask":
			s.Ask = s.rules(name, members[name], from)
		case "allow":
			s.Allow = s.rules(name, members[name], from)
		case "additionalDirectories":
			s.Folders = s.texts(name, members[name])
		case "defaultMode":
			s.mode(members[name])
		default:
			s.warn("permissions.%.60s has no effect", name)
		}
	}
}

// texts reads a list of texts.
func (s *Settings) texts(name string, value json.RawMessage) (list []string) {
	var all []any
	if json.Unmarshal(value, &all) != nil {
		s.warn("permissions.%s is no list, so nothing in it has an effect", name)
		return nil
	}
	for i, one := range all {
		text, ok := one.(string)
		switch {
		case i >= mostRules:
			s.warn("permissions.%s: the entries after the first %d have no effect", name, mostRules)
			return list
		case !ok:
			s.warn("permissions.%s: entry %d is no text, and has no effect", name, i+1)
		default:
			list = append(list, text)
		}
	}
	return list
}

func (s *Settings) rules(list string, value json.RawMessage, from Origin) (rules []permit.Rule) {
	for _, text := range s.texts(list, value) {
		t := translation{from: from, allow: list == "allow"}
		found, why := t.rule(strings.TrimSpace(text))
		if why != "" {
			s.warn("permissions.%s: %.100q %s", list, text, why)
		}
		for _, r := range found {
			r.From = from.Name
			rules = append(rules, r)
		}
	}
	return rules
}

// mode reads the mode for sessions: only those that make things stricter count.
func (s *Settings) mode(value json.RawMessage) {
	switch mode := text(value); mode {
	case "default", "manual":
	case "dontAsk":
		s.Refuses = true
	case "plan":
		s.warn("permissions.defaultMode: plan has no effect; start with --mode plan")
	default:
		s.warn("permissions.defaultMode: %.60q has no effect, because a repository does not choose to be asked about less", mode)
	}
}

// text is a text in JSON; "" if it is none.
func text(value json.RawMessage) string {
	var s string
	_ = json.Unmarshal(value, &s) // what is no text is none of the known words
	return s
}
