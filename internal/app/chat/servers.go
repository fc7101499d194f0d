package chat

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// startPatience is how long a run waits for MCP servers before the user learns why nothing
// happens.
const startPatience = 2 * time.Second

// startingServers are the names of the MCP servers that are starting.
func (t *conversation) startingServers(ctx context.Context) (names []string) {
	list, err := session.MCP(t.client.Session()).List(context.WithoutCancel(ctx))
	if err != nil {
		return nil // the session has closed, and its last events say so
	}
	for _, s := range list.Servers {
		if s.Status == wire.MCPPending {
			names = append(names, timeline.OneLine(s.Name, maxServerName))
		}
	}
	return names
}

// maxServerName bounds the name of a server in a note, in columns.
const maxServerName = 40

// slowServers returns a channel that reports when a run has waited for MCP servers for some time;
// nil if none is starting.
func (t *conversation) slowServers(ctx context.Context) <-chan time.Time {
	if len(t.startingServers(ctx)) == 0 {
		return nil
	}
	return time.After(startPatience)
}

// waitsForServers prints which MCP servers a run waits for.
func (t *conversation) waitsForServers(ctx context.Context) error {
	names := t.startingServers(ctx)
	if len(names) == 0 || t.turning {
		return nil
	}
	return t.show.Progress("waiting for the MCP " + plural("server", names))
}

// startsWithout prints which MCP servers the model is called without, once for each.
func (t *conversation) startsWithout(ctx context.Context) error {
	if t.turning {
		return nil
	}
	t.turning = true
	names := slices.DeleteFunc(t.startingServers(ctx), func(name string) bool { return slices.Contains(t.late, name) })
	if len(names) == 0 {
		return nil
	}
	t.late = append(t.late, names...)
	return t.show.Note("continues without the MCP " + plural("server", names) + "; tools come with a later model call")
}

// plural is a word for one or several, and their names.
func plural(word string, names []string) string {
	if len(names) > 1 {
		word += "s"
	}
	return word + " " + strings.Join(names, ", ")
}
