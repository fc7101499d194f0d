package session

import (
	"github.com/sidestick-dev/sidestick/internal/session/agents"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// toolHost is a session as its built-in tools see it; it implements [tool.Host].
type toolHost struct {
	host
	agents.Tools
}

// host is [toolHost] without the sub-agents.
type host struct{ s *Session }

func (h host) Cwd() string { return h.s.log.Cwd() }

func (h host) Dir() string { return h.s.storage.dir }

// Stored implements [tool.Workspace].
func (h host) Stored(path string) *tool.Stored { return h.s.storage.stored(path) }

func (h host) Partial(c tool.Call, text string) {
	if output := (&wire.ToolPartialResult{ToolCallID: c.ID, PartialOutput: text}); h.s.tools.user.Runs(c.ID) {
		h.s.log.Notify("", output) // also outside of a run
	} else {
		h.s.tools.emitOfRun(c.AgentID, output)
	}
}

func (h host) Progress(c tool.Call, message string) {
	h.s.tools.emitOfRun(c.AgentID, &wire.ToolProgress{ToolCallID: c.ID, ProgressMessage: message})
}

// Database implements [tool.Host].
func (h host) Database() (sessiondb.Database, error) { return h.s.Workspace().Database() }

// TodosChanged implements [tool.Host].
func (h host) TodosChanged() { h.s.Workspace().TodosChanged() }
