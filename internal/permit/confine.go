package permit

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// ProtectedNames returns the names of files and folders that make programs run by themselves,
// and of the ends of paths, in order. A sandbox keeps commands from writing them. The folders
// of git are not among them: a sandbox knows more about these.
func ProtectedNames() []string {
	names := slices.Sorted(maps.Keys(programRunning))
	return slices.DeleteFunc(names, func(name string) bool { return name == ".git" })
}

// DeniedFiles returns the files and folders that deny rules of a kind, [Read] or [Write], name
// without a pattern. They are absolute.
func (r Rules) DeniedFiles(kind Kind) []string {
	var files []string
	for _, rule := range r.Deny {
		name := strings.TrimSuffix(rule.Argument, "/**")
		if rule.Kind != kind || name == "" || strings.ContainsAny(name, `*?\`) {
			continue
		}
		if !path.IsAbs(name) {
			name = path.Join(r.Folders.Primary, name)
		}
		files = append(files, name)
	}
	return files
}

// Addresses returns the arguments of the rules that allow and deny addresses; "" is every
// address.
func (r Rules) Addresses() (allow, deny []string) {
	if r.AnyURL {
		allow = append(allow, "")
	}
	of := func(rules []Rule, list []string) []string {
		for _, rule := range rules {
			if rule.Kind == URL && !slices.Contains(list, rule.Argument) {
				list = append(list, rule.Argument)
			}
		}
		return list
	}
	return of(r.Allow, allow), of(r.Deny, deny)
}
