package state

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Outline is what a list shows of a session: what its log holds up to the first message,
// which has the title. Later events change none of it, so the head of a log and the
// session in memory give the same outline.
type Outline struct {
	Started                          time.Time
	Title                            string
	Cwd, GitRoot, Repository, Branch string
	HasMessages                      bool
	read                             int // bytes of event data so far
}

// HeadBytes bounds how much of a log is read for its outline, in bytes. The first
// message stands at the very beginning of all logs we know.
const HeadBytes = 256 << 10

// Settled reports whether no later event can change the outline.
func (o *Outline) Settled() bool { return o.Title != "" || o.read > HeadBytes }

// outline takes the outline over from the state after e.
func (s *State) outline(e wire.Event) {
	if s.Outline.Settled() {
		return
	}
	s.Outline = Outline{
		Started: s.Started, Title: s.Title, Cwd: s.Cwd, GitRoot: s.GitRoot, Repository: s.Repository, Branch: s.Branch,
		HasMessages: s.Outline.HasMessages || len(s.Main.Messages) > 0, read: s.Outline.read + len(e.Data),
	}
}
