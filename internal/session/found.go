package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// found tells the clients what something in the background has made and what was moved aside. It is called on
// any goroutine but that of the session.
func (s *Session) found(f quarantine.Found) {
	for _, data := range tool.Aside(f) {
		_ = s.post(context.Background(), func() error { s.log.recordOrEmit(data); return nil }) // an error is that of a closed session
	}
}

// lookAround looks at what the commands of a run have left, before the session is idle: the user's next step may be
// in the folder.
func (r *run) lookAround() {
	if guard := r.s.tools.guard.Load(); guard != nil {
		r.s.found(guard.Look())
	}
}
