package wire

import "strings"

// The names of GitHub's MCP server. Lists, events and the names of its tools have the first, as those
// of the reference runtime do; a client and a user may write either.
const (
	GitHubServer      = "github-mcp-server"
	shortGitHubServer = "github"
)

// OtherServerName returns the second name of an MCP server that has two names; for every other server, the
// name itself.
func OtherServerName(name string) string {
	switch name {
	case GitHubServer:
		return shortGitHubServer
	case shortGitHubServer:
		return GitHubServer
	}
	return name
}

// SameServer reports whether two names mean the same MCP server.
func SameServer(a, b string) bool { return a == b || a == OtherServerName(b) }

// OtherToolName returns the name that a tool has for the model if its server goes by its second name; the
// name itself if the server has only one, or if the name does not begin with that of the server.
func OtherToolName(server, name string) string {
	if rest, ok := strings.CutPrefix(name, server+"-"); ok {
		return OtherServerName(server) + "-" + rest
	}
	return name
}
