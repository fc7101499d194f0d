package shell

import (
	"slices"
	"strings"
)

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
