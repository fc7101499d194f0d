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

// Hosts returns the hosts, with their ports, that rules without a path allow and deny; "*" is
// every host. A deny rule holds for all hosts below its own.
func (r Rules) Hosts() (allow, deny []string) {
	if r.AnyURL {
		allow = append(allow, "*")
	}
	for _, rule := range r.Allow {
		if host, ok := hostAndPortOf(rule); ok && !slices.Contains(allow, host) {
			allow = append(allow, host)
		}
	}
	for _, rule := range r.Deny {
		if rule.Kind != URL {
			continue
		}
		host := strings.TrimPrefix(bareHost(rule.Argument), "*.")
		if host == "" {
			deny = append(deny, "*")
			continue
		}
		deny = append(deny, host, "*."+host)
	}
	return allow, deny
}

// hostAndPortOf returns the host that an allow rule covers. ok is false for a rule that covers
// only some paths of a host, which a proxy cannot tell apart.
func hostAndPortOf(rule Rule) (host string, ok bool) {
	if rule.Kind != URL {
		return "", false
	}
	if rule.Argument == "" {
		return "*", true
	}
	host = bareHost(rule.Argument)
	_, rest, _ := strings.Cut(rule.Argument, host)
	if strings.Trim(rest, "/") != "" {
		return "", false
	}
	if i := strings.LastIndex(host, ":"); i < 0 || strings.HasSuffix(host, "]") {
		if strings.HasPrefix(strings.ToLower(rule.Argument), "http://") {
			return host + ":80", true
		}
		return host + ":443", true
	}
	return host, true
}

// bareHost returns the host and port of a rule's argument.
func bareHost(argument string) string {
	if _, rest, ok := strings.Cut(argument, "://"); ok {
		argument = rest
	}
	host, _, _ := strings.Cut(argument, "/")
	return strings.ToLower(host)
}
