package projectfiles

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// FieldServers is the member of a file of MCP servers that has the servers.
const FieldServers = "mcpServers"

// ServersIn returns the servers of a file of MCP servers: those in a member of that name or, of a file without
// [FieldServers] whose member would be that, the members of the file that have a command or an address. flat says
// that they are the latter.
func ServersIn(fields map[string]json.RawMessage, field string) (servers map[string]json.RawMessage, flat bool, err error) {
	servers = map[string]json.RawMessage{}
	if fields[field] != nil {
		err = json.Unmarshal(fields[field], &servers)
	}
	if _, wrapped := fields[FieldServers]; field != FieldServers || wrapped {
		return servers, false, err
	}
	for name, config := range fields {
		var server struct {
			Command any `json:"command"`
			URL     any `json:"url"`
		}
		if json.Unmarshal(config, &server) == nil && (server.Command != nil || server.URL != nil) {
			servers[name], flat = config, true
		}
	}
	return servers, flat, err
}

// ServersField is the member that has the servers in a file of an entry.
func (e Entry) ServersField() string {
	if e.Path == editorServers {
		return "servers"
	}
	return FieldServers
}

// OfClaude reports whether the hooks in a file of an entry are read as Claude Code reads them.
func (e Entry) OfClaude() bool { return strings.HasPrefix(e.Path, ".claude/") || e.In == Plugin }

// References replaces each ${…} of a text in a file of MCP servers. value gets what is between the braces; see
// [Variable].
func References(text string, value func(inside string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		inside, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		b.WriteString(value(inside))
		text = after
	}
}

// Variable reads what is between the braces: NAME, NAME:-default or env:NAME. optional says that there is a default.
func Variable(inside string) (name, otherwise string, optional bool) {
	return strings.Cut(strings.TrimPrefix(inside, "env:"), ":-")
}

// Ancestors returns the folders from root down to folder, both included: those of [Way]. Only folder if root is
// empty or does not contain it. Both paths are clean.
func Ancestors(root, folder string) []string {
	below, ok := strings.CutPrefix(folder, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
	if root == "" || !ok {
		return []string{folder}
	}
	list := []string{root}
	for element := range strings.SplitSeq(below, string(filepath.Separator)) {
		list = append(list, filepath.Join(list[len(list)-1], element))
	}
	return list
}
