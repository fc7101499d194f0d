package remote

import (
	"context"
	"maps"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Settings is how a session is entered. The zero value leaves everything to the server.
type Settings struct {
	Model, Effort string // "" is that of the session
	// Folder is the working directory of a new session, on the machine of the server; "" is that of
	// the server.
	Folder string
}

// params are the parameters of session.create and session.resume.
func (s Settings) params() map[string]any {
	p := map[string]any{
		"clientName": "sidestick-terminal", "streaming": true,
		"requestPermission": true, "requestElicitation": true, "enableConfigDiscovery": true,
	}
	for name, value := range map[string]string{"model": s.Model, "reasoningEffort": s.Effort} {
		if value != "" {
			p[name] = value
		}
	}
	if s.Model != "" {
		p["serverModel"] = true // the user names a model of the server, whoever made the calls before
	}
	return p
}

// Create creates a session. id is its id, "" for a new one. Permission requests wait while the
// connection is lost.
func (l *Link) Create(ctx context.Context, id string, settings Settings) (*Session, error) {
	p := settings.params()
	p["enableFileChangeTracking"], p["pendingPermissions"] = true, "wait"
	if settings.Folder != "" {
		p["workingDirectory"] = settings.Folder
	}
	return l.open(ctx, "session.create", client.Config{ID: id, Params: p})
}

// Resume enters a session that exists. Its open questions stay open.
func (l *Link) Resume(ctx context.Context, id string, settings Settings) (*Session, error) {
	p := settings.params()
	p["continuePendingWork"], p["holdPendingWork"] = true, true
	return l.open(ctx, "session.resume", client.Config{ID: id, Params: p})
}

// open enters a session, and reads what a user interface shows first.
func (l *Link) open(ctx context.Context, method string, config client.Config) (*Session, error) {
	c, err := l.connected(ctx, nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	on, err := enter(ctx, c, method, config)
	if err != nil {
		return nil, l.refused(method, err)
	}
	s := &Session{link: l, id: on.ID, calls: make(chan *Call, maxOpen), retries: make(chan wire.ModelRetry, maxRetries), rows: &timeline.Reader{}}
	// A session that was created now is resumed when the connection was lost.
	s.again = client.Config{ID: on.ID, Params: maps.Clone(config.Params)}
	for _, once := range []string{"model", "serverModel", "reasoningEffort", "workingDirectory", "enableFileChangeTracking", "pendingPermissions"} {
		delete(s.again.Params, once)
	}
	s.again.Params["continuePendingWork"], s.again.Params["holdPendingWork"] = true, true
	s.client, s.on = c, on
	if err := s.prepare(ctx); err != nil {
		s.detach(ctx)
		return nil, err
	}
	return s, nil
}

// enter creates or resumes a session on a connection.
func enter(ctx context.Context, c *client.Client, method string, config client.Config) (*client.Session, error) {
	if method == "session.create" {
		return c.CreateSession(ctx, config)
	}
	return c.ResumeSession(ctx, config)
}

// prepare reads what is shown first, so that a user interface need not wait for the server.
func (s *Session) prepare(ctx context.Context) error {
	if err := s.interest(ctx, s.client); err != nil {
		return err
	}
	// Approvals of earlier sessions hold here, as in a session of this process. Without them the
	// user is asked.
	_ = s.do(ctx, "session.permissions.locations.apply", map[string]any{"workingDirectory": ""}, nil)
	for e, err := range s.log(ctx) {
		if err != nil {
			return err
		}
		s.first = append(s.first, e)
		s.learn(e)
		s.request(e)
		s.rows.Add(e)
	}
	known, err := s.describe(ctx)
	s.known, s.working = known, known.Working
	return err
}

// request remembers the permission requests of the log that may be open.
func (s *Session) request(e wire.Event) {
	id := wire.Raw(e.Data).Get("requestId").Text()
	switch e.Type {
	case "permission.requested":
		if s.requests == nil {
			s.requests = map[string]wire.Event{}
		}
		s.requests[id] = e
	case "permission.completed":
		delete(s.requests, id)
	}
}

// learn takes over from a persisted event what a later one, or a new connection, depends on.
func (s *Session) learn(e wire.Event) {
	if e.Ephemeral {
		return
	}
	s.last = e.ID
	if s.seen == nil || len(s.seen) >= maxSeen {
		s.before, s.seen = s.seen, map[string]bool{}
	}
	s.seen[e.ID] = true
}

// maxSeen bounds the ids of events that are remembered; twice as many are, for a moment. It is more
// than can be on their way at once.
const maxSeen = 10_000

// event is an event as user interfaces get it.
func (s *Session) event(e wire.Event) follow.Event {
	return follow.Event{Event: e, Row: s.rows.Add(e), Cwd: s.rows.Cwd()}
}
