package shell

import (
	"os"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// dropped variables are never inherited: the tokens by which clients authenticate to this
// program, its own keys, the files that a shell would read by itself, and what would give a
// command another meaning than package effects finds in its text.
var dropped = []string{
	"COPILOT_CONNECTION_TOKEN", "COPILOT_SDK_AUTH_TOKEN", "SIDESTICK_API_KEY", "SIDESTICK_TOKEN*", "BASH_ENV", "ENV",
	"BASH_FUNC_*", "BASHOPTS", "SHELLOPTS", "CDPATH", "GLOBIGNORE",
}

// added variables are set in every shell: no colours, and no pager that waits for a key.
var added = []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat"}

// Environ returns env without the variables that no program of a session inherits, among them
// those that drop names, as [Options].Drop.
func Environ(env, drop []string) []string {
	drop = slices.Concat(dropped, drop)
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(drop, func(pattern string) bool {
			prefix, open := strings.CutSuffix(pattern, "*")
			return name == pattern || open && strings.HasPrefix(name, prefix)
		})
	})
}

// inherited returns the environment of a session's first shell in a sandbox, or outside of
// any if the policy is nil.
func (o Options) inherited(policy *sandbox.Policy) []string {
	env := o.Env
	if env == nil {
		env = os.Environ()
	}
	kept := Environ(env, o.Drop)
	if policy != nil { // afterwards, because it adds variables with names that are dropped
		kept = policy.Environ(kept)
	}
	return append(kept, added...)
}

// changedNames returns the names of the variables that differ between two environments, sorted. What bash
// and a sandbox set by themselves does not count.
func changedNames(before, after []string) []string {
	old := map[string]string{}
	for _, v := range before {
		name, value, _ := strings.Cut(v, "=")
		old[name] = value
	}
	var names []string
	seen := map[string]bool{}
	own := func(name string) bool {
		return strings.HasPrefix(name, "SIDESTICK_") || slices.Contains([]string{"_", "PWD", "OLDPWD", "SHLVL", "HOME", "TMPDIR", "GIT_CONFIG_GLOBAL"}, name)
	}
	for _, v := range after {
		name, value, _ := strings.Cut(v, "=")
		seen[name] = true
		if was, had := old[name]; (!had || was != value) && !own(name) {
			names = append(names, name)
		}
	}
	for name := range old {
		if !seen[name] && !own(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
