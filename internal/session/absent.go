package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/spelling"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A configuration may name folders and tools that do not exist. It is not refused, because both may come into being
// later, and because other versions of the runtime have other tools. The client is told once.

// maxAbsent is how many of them a warning names.
const maxAbsent = 20

// absentTools returns what the filters of a configuration name of tools that do not exist, in words. Names with a
// hyphen may be those of tools of MCP servers, which come later: they count only if they are near another name. Patterns never count.
func (e attachment) absentTools(cfg wire.Config) (absent []string) {
	var all []string
	group := map[string]string{} // the first tool of each group that only the files of agents can name
	for _, t := range fact.All() {
		all = append(all, t.Name, t.Windows)
		for _, name := range t.Groups {
			group[name] = cmp.Or(group[name], t.Name)
		}
	}
	for _, t := range cfg.Tools {
		all = append(all, t.Name)
	}
	for d := range e.s.tools.external.Definitions {
		all = append(all, d.Name)
	}
	look := func(setting string, patterns []string) {
		for _, pattern := range patterns {
			name := strings.TrimPrefix(strings.TrimPrefix(pattern, "builtin:"), "custom:")
			meant := cmp.Or(group[name], spelling.Closest(name, all))
			if slices.Contains(all, name) || strings.ContainsAny(name, "*/:") || meant == "" && strings.Contains(name, "-") {
				continue
			}
			why := setting
			if meant != "" {
				why += ", did you mean " + meant + "?"
			}
			absent = append(absent, "the tool "+fault.Bounded(pattern)+" ("+why+")")
		}
	}
	look("availableTools", cfg.AvailableTools)
	look("excludedTools", cfg.ExcludedTools)
	return absent
}

// absent returns the warning about what a configuration names and what does not exist; nothing if it is all there, or
// if the log has the same warning already.
func (e attachment) absent(cfg wire.Config, at place) []wire.Data {
	list := slices.Concat(at.absent, e.absentTools(cfg))
	if len(list) == 0 {
		return nil
	}
	more := ""
	if len(list) > maxAbsent {
		list, more = list[:maxAbsent], ", and more"
	}
	return e.warnOnce("These settings name what does not exist: " + strings.Join(list, ", ") + more + ".")
}
