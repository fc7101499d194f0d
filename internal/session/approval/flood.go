package approval

import (
	"errors"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The bounds of what one MCP server may ask a user who does not want to answer it: a server that asks
// without end would keep the user from the session, and hope for a yes by mistake.
const (
	maxRefused = 5  // forms in a row that the user has declined or left
	maxOpenOf  = 10 // forms that are open at once
)

// errFlood is the error of a question that a server has asked beyond these bounds. It is declined.
var errFlood = errors.New("the server asks too much")

// floods reports whether a further question of an MCP server is declined without asking. It tells the
// clients once, until the user sends a message.
func (o *Questions) floods(source string) bool {
	if source == "" {
		return false
	}
	open := 0
	for _, q := range o.open {
		if q.source == source {
			open++
		}
	}
	why := ""
	switch {
	case o.refused[source] >= maxRefused:
		why = fmt.Sprintf("%d of its questions in a row were declined", maxRefused)
	case open >= maxOpenOf:
		why = fmt.Sprintf("%d of its questions are open", maxOpenOf)
	default:
		return false
	}
	if !o.told[source] {
		if o.told == nil {
			o.told = map[string]bool{}
		}
		o.told[source] = true
		o.session.Emit("", &wire.SessionWarning{WarningType: "mcp", Message: fmt.Sprintf(
			"MCP server %s: %s, so further ones are declined without asking until your next message. /mcp stops the server.", fault.Bounded(source), why)})
	}
	return true
}

// count notes how a question of an MCP server has ended.
func (o *Questions) count(q *question, answer any) {
	if q.source == "" {
		return
	}
	if a, _ := answer.(wire.ElicitationAnswer); a.Action == Accepted {
		delete(o.refused, q.source)
		return
	}
	if o.refused == nil {
		o.refused = map[string]int{}
	}
	o.refused[q.source]++
}

// Listened forgets how often MCP servers were declined, because the user has sent a message. Call it on
// the session's goroutine.
func (o *Questions) Listened() { o.refused, o.told = nil, nil }
