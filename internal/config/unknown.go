package config

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/spelling"
)

// prefix is how the variables of this program begin.
const prefix = "SIDESTICK_"

// otherVariables are the variables of this program that are no source of a setting in files. A test compares them with
// docs/flags.md.
func otherVariables() []string {
	return []string{
		"SIDESTICK_HOME", "SIDESTICK_API_KEY", "SIDESTICK_AGENT_TOKEN", "SIDESTICK_DUMPABLE", "SIDESTICK_MAX_ANSWERS",
		"SIDESTICK_RECORD", "SIDESTICK_REPLAY", "SIDESTICK_REPLAY_TOOLS",
	}
}

// Ignored says of each variable that was most likely meant for this program and that it does not read which one was
// meant: of those whose name is near that of a variable, and of those that are named as a flag is. Others with the same
// beginning are left to whoever set them; so are empty ones. names may have "=" and a value behind the name. One line
// each, without a full stop and without values.
func Ignored(names []string) (all []string) {
	known, flags := otherVariables(), map[string]string{}
	for _, k := range Keys() {
		for _, name := range k.Variables {
			if strings.HasPrefix(name, prefix) {
				known = append(known, name)
			}
		}
		for _, flag := range k.Flags {
			flags[prefix+strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(flag, "--"), "-", "_"))] = flag + " or the setting " + k.Name
		}
	}
	for _, text := range names {
		name, value, given := strings.Cut(text, "=")
		rest, ours := strings.CutPrefix(name, prefix)
		if !ours || given && value == "" || slices.Contains(known, name) {
			continue
		}
		meant := flags[name]
		for _, k := range known {
			if meant == "" && spelling.Closest(rest, []string{strings.TrimPrefix(k, prefix)}) != "" {
				meant = k
			}
		}
		if meant != "" {
			all = append(all, "the variable "+name+" has no effect: there is no such variable; did you mean "+meant+"?")
		}
	}
	slices.Sort(all)
	return all
}
