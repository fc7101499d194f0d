package permit

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

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

// namesServerTool reports whether a rule covers a tool of an MCP server. either says that a server with two names
// is meant by both: for a deny rule always, and for an allow rule only if this program has added the server, because
// a project may give its own server the other name.
func (r Rule) namesServerTool(q Request, either bool) bool {
	switch r.Kind {
	case MCP:
		server, tool := r.ServerTool()
		return r.Argument == "" || isServer(server, q, either) && (tool == "" || tool == q.ServerTool)
	case CustomTool: // as the command line names a server, or the tool by the model's name
		return r.Argument != "" && (isServer(r.Argument, q, either) || r.namesTool(q, either))
	}
	return false
}

// Names reports whether an allow rule covers a tool of an MCP server.
func (r Rule) Names(q Request) bool { return r.namesServerTool(q, q.OwnServer) }

func isServer(name string, q Request, either bool) bool {
	return name == q.Server || either && wire.SameServer(name, q.Server)
}

// namesTool reports whether the argument of a rule is the name of a tool. With either, a tool of a server that has
// two names has two names, too.
func (r Rule) namesTool(q Request, either bool) bool {
	return r.Argument == q.Tool || either && q.Server != "" && r.Argument == wire.OtherToolName(q.Server, q.Tool)
}

func checkServer(argument string) error {
	r := Rule{Kind: MCP, Argument: argument}
	server, tool := r.ServerTool()
	if strings.ContainsAny(server+tool, "*?") {
		return invalid(r.String(), "a server and its tools are named by their whole names; to cover every server, write mcp")
	}
	return nil
}
