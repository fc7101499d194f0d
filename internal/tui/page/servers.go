package page

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Server is an MCP server of the session.
type Server struct {
	Name         string
	State        string // connected, failed, needs-auth, pending, disabled, stopped, not_configured
	Source       string // user, project, plugin …
	Err          string // why it failed
	Instructions string // how the server says that it is to be used
	Tools        []Tool
}

// Tool is a tool of a server.
type Tool struct{ Name, Description string }

// Servers shows the MCP servers. The caller does ListChoose, which means what [ServerAction] says,
// and ListToggle, which switches the server on or off for this session.
func Servers(keys *keymap.Table) *list.List {
	return list.New(list.Config{
		Title: "MCP servers", Keys: keys,
		Empty:   "No MCP server is configured. Add one: sidestick mcp add NAME -- COMMAND, and start a new session.",
		Columns: []list.Column{{}, {Right: true, Dim: true}, {Dim: true}},
		Actions: []list.Action{{Name: keymap.ListToggle, Text: "on or off"}},
	})
}

// ServerAction is what the key Enter does with a server in a state: "sign in", "start" or
// "restart"; "wait" while it starts.
func ServerAction(state string) string {
	switch state {
	case "needs-auth":
		return "sign in"
	case "disabled", "stopped", "not_configured":
		return "start"
	case "pending":
		return "wait"
	}
	return "restart"
}

// SetServers makes entries of servers.
func SetServers(l *list.List, servers []Server) {
	items := make([]list.Item, len(servers))
	for i, s := range servers {
		state, style := serverState(s.State)
		items[i] = list.Item{ID: s.Name, Title: line(s.Name), Style: style, Enter: ServerAction(s.State), Columns: []string{state, "", line(s.Source)}}
		if n := len(s.Tools); n > 0 {
			items[i].Columns[1] = count(n, "tool", "tools")
		}
		for _, t := range s.Tools {
			items[i].Search += t.Name + "\n"
		}
	}
	l.Preview = func(id string, width int) []row.Row {
		s, _ := find(servers, id, func(s Server) string { return s.Name })
		return serverPreview(s, width)
	}
	l.Set(items)
}

func serverState(state string) (text string, style row.Style) {
	switch state {
	case "connected":
		return state, row.Plain
	case "failed":
		return state, row.Failure
	case "needs-auth":
		return "needs signing in", row.Warning
	case "pending":
		return "starts", row.Plain
	case "disabled":
		return "off", row.Dim
	case "not_configured":
		return "not configured", row.Dim
	}
	return line(state), row.Dim
}

func serverPreview(s Server, width int) (rows []row.Row) {
	state, style := serverState(s.State)
	rows = append(rows, row.Of(line(s.Name), row.Bold).And("  "+state, style).Cut(width))
	if s.Err != "" {
		rows = append(append(rows, nil), paragraphs(s.Err, row.Failure, width)...)
	}
	if s.Instructions != "" {
		rows = append(append(rows, nil), paragraphs(s.Instructions, row.Plain, width)...)
	}
	if len(s.Tools) > 0 {
		rows = append(rows, nil, row.Of(fmt.Sprintf("Tools (%d)", len(s.Tools)), row.Heading))
	}
	for _, t := range s.Tools {
		rows = append(rows, row.Of(line(t.Name), row.Name).And("  "+line(t.Description), row.Dim).Wrap(width, row.Text("  "))...)
	}
	return rows
}
