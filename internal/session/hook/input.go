package hook

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"
	"time"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/peerfile"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// input returns what a command of a file reads on its standard input. It differs from the protocol: an error is
// an object, and under an event in PascalCase the names are those of Claude Code. Sources:
// https://docs.github.com/en/copilot/reference/hooks-configuration, https://code.claude.com/docs/en/hooks
func (c commandHook) input(kind string, about Call, input map[string]any) map[string]any {
	input = maps.Clone(input)
	if message, ok := input["error"].(string); ok && kind == "errorOccurred" {
		input["error"] = map[string]string{"message": message, "name": "Error"}
	}
	if !c.Pascal {
		return input
	}
	out := map[string]any{}
	for name, value := range input {
		out[snake(name)] = value
	}
	if at, ok := input["timestamp"].(int64); ok {
		out["timestamp"] = time.UnixMilli(at).UTC().Format(time.RFC3339Nano)
	}
	out["hook_event_name"], out["session_id"] = peerfile.PascalName(kind), c.session.id
	out["transcript_path"], out["permission_mode"] = c.session.transcript, c.session.host.PermissionMode()
	if about.AgentID != "" {
		out["agent_id"] = about.AgentID
	}
	if name, ok := input["agentName"]; ok {
		out["agent_type"] = name
	}
	if source, ok := input["source"].(string); ok {
		out["source"] = claudeSource(source)
	}
	if name, ok := input["toolName"].(string); ok && kind != "preMcpToolCall" {
		out["tool_name"] = append(about.peerNames(), name)[0]
		out["tool_use_id"] = about.ID
		out["tool_input"] = about.Arguments
		if arguments, ok := about.Arguments.(json.RawMessage); ok {
			out["tool_input"] = peerfile.ToolInput(name, arguments)
		}
		delete(out, "tool_args")
		if result, ok := out["tool_result"]; ok {
			out["tool_response"] = result
		}
	}
	return out
}

// claudeSource is Claude's word for how a session has started.
func claudeSource(source string) string {
	if source == "new" {
		return "startup"
	}
	return source
}

// snake returns a name like toolName as tool_name.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// peerNames are the names that Claude Code has for the tool of a call.
func (c Call) peerNames() []string { return peerfile.ToolNames(c.Name, c.Server, c.ServerTool) }

// concerns reports whether the hook is called for an event: its matcher is about the name of a tool. A tool of
// GitHub's MCP server is meant by either name of the server. Under a name in PascalCase, a matcher is also about
// how the session starts or ends, and about the name of a sub-agent.
func (c commandHook) concerns(about Call, input map[string]any) bool {
	if name, ofTool := input["toolName"].(string); ofTool {
		names := []string{name, wire.OtherToolName(wire.GitHubServer, name), wire.OtherToolName(wire.OtherServerName(wire.GitHubServer), name)}
		if c.Pascal {
			names = append(names, about.peerNames()...)
		}
		return c.Matches.Any(names...)
	}
	if !c.Pascal {
		return true
	}
	source, _ := input["source"].(string)
	reason, _ := input["reason"].(string)
	agent, _ := input["agentName"].(string)
	if subject := cmp.Or(claudeSource(source), reason, agent); subject != "" {
		return c.Matches.Any(subject)
	}
	return true
}

// ModeFor is Claude's word for how calls are permitted, in a mode and a permission mode of this program.
func ModeFor(mode string, permission wire.PermissionMode) string {
	switch {
	case mode == "plan":
		return "plan"
	case permission == wire.ModeAllowAll:
		return "bypassPermissions"
	}
	return "default"
}
