package fact

import "strings"

// ClaudeServer is the beginning of the names that Claude Code has for tools of MCP servers.
const ClaudeServer = "mcp__"

// ClaudeServerTool returns the name that Claude Code has for a tool of an MCP server.
func ClaudeServerTool(server, tool string) string {
	return ClaudeServer + ClaudeWord(server) + "__" + ClaudeWord(tool)
}

// ClaudeWord returns the name of a server or of its tool as Claude Code has it in the name of a tool: characters that a
// model cannot get there are "_".
func ClaudeWord(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '_'
	}, name)
}
