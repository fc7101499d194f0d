package projectfiles

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// FieldServers is the member of a file of MCP servers that has the servers.
const FieldServers = "mcpServers"

// FlatServers returns the servers of a file of MCP servers whose members are the servers themselves: those that
// have a command or an address. nil for a file that has [FieldServers].
func FlatServers(fields map[string]json.RawMessage) map[string]json.RawMessage {
	if _, wrapped := fields[FieldServers]; wrapped {
		return nil
	}
	var servers map[string]json.RawMessage
	for name, config := range fields {
		var server struct {
			Command any `json:"command"`
			URL     any `json:"url"`
		}
		if json.Unmarshal(config, &server) != nil || server.Command == nil && server.URL == nil {
			continue
		}
		if servers == nil {
			servers = map[string]json.RawMessage{}
		}
		servers[name] = config
	}
	return servers
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
