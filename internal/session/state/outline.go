package state

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Outline has the facts about a session that lists show. They come from the events up to
// the first message, which has the title. Later events change none of them, so the head of
// a log and the session in memory give the same outline.
type Outline struct {
	Started                          time.Time
	Title                            string
	Cwd, GitRoot, Repository, Branch string
	HasMessages                      bool
	read                             int // bytes of event data read so far
}

// HeadBytes bounds how much of a log is read for its outline, in bytes. In all known logs
// the first message is at the very beginning.
const HeadBytes = 256 << 10

// Settled reports whether no later event can change the outline.
func (o *Outline) Settled() bool { return o.Title != "" || o.read > HeadBytes }

// outline copies the outline's fields from the state after e.
func (s *State) outline(e wire.Event) {
	if s.Outline.Settled() {
		return
	}
	s.Outline = Outline{
		Started: s.Started, Title: s.Title, Cwd: s.Cwd, GitRoot: s.GitRoot, Repository: s.Repository, Branch: s.Branch,
		HasMessages: s.Outline.HasMessages || len(s.Main.Messages) > 0, read: s.Outline.read + len(e.Data),
	}
}
