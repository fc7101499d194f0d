package permit

import "strings"

// ServerRule returns the rule for a tool of an MCP server, or for all its tools if tool is "".
func ServerRule(server, tool string) Rule {
	if tool == "" {
		return Rule{Kind: MCP, Argument: server}
	}
	return Rule{Kind: MCP, Argument: server + "(" + tool + ")"}
}

// ServerTool returns the server and the tool that a rule of the kind MCP names; tool is "" if
// it names the server alone, and both are if it covers every server.
func (r Rule) ServerTool() (server, tool string) {
	if rest, ok := strings.CutSuffix(r.Argument, ")"); ok {
		if i := strings.LastIndexByte(rest, '('); i > 0 {
			return rest[:i], rest[i+1:]
		}
	}
	return r.Argument, ""
}

// namesServerTool reports whether a rule covers a tool of an MCP server.
func (r Rule) namesServerTool(q Request) bool {
	switch r.Kind {
	case MCP:
		server, tool := r.ServerTool()
		return r.Argument == "" || server == q.Server && (tool == "" || tool == q.ServerTool)
	case CustomTool: // as the command line names a server, or the tool by the model's name
		return r.Argument != "" && (r.Argument == q.Server || r.Argument == q.Tool)
	}
	return false
}

func checkServer(argument string) error {
	r := Rule{Kind: MCP, Argument: argument}
	server, tool := r.ServerTool()
	if strings.ContainsAny(server+tool, "*?") {
		return invalid(r.String(), "a server and its tools are named by their whole names; to cover every server, write mcp")
	}
	return nil
}
