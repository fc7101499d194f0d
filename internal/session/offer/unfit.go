package offer

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxNamed bounds the tools that one warning names.
const maxNamed = 10

// Unfit are the tools of a session that the model is not offered because no provider accepts
// their definitions: one of them in a request would be an error for all. The user is warned of
// each once while the session is in memory. The zero
// value has none. It belongs to the session's goroutine.
type Unfit struct {
	known map[string]bool
	fresh []string // that the user was not warned of yet
}

// Note adds a tool, with the reason.
func (u *Unfit) Note(d tool.Definition, why error) {
	text := fault.Bounded(d.Name)
	if d.Server != "" {
		text += " of the MCP server " + fault.Bounded(d.Server)
	}
	if text += ": " + why.Error(); u.known[text] {
		return
	}
	if u.known == nil {
		u.known = map[string]bool{}
	}
	u.known[text] = true
	u.fresh = append(u.fresh, text)
}

// Warning is the event that names the tools that were noted since the last one; nil if there are
// none.
func (u *Unfit) Warning() wire.Data {
	named := u.fresh
	if u.fresh = nil; len(named) == 0 {
		return nil
	}
	if more := len(named) - maxNamed; more > 0 {
		named = append(named[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return &wire.SessionWarning{
		WarningType: "tool_schema",
		Message:     "The model is not offered these tools, because no provider would accept them. " + strings.Join(named, "; ") + ".",
	}
}
