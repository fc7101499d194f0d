package remote

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// List lists the stored sessions, the last changed first; folder is "" for those of all folders.
func (l *Link) List(ctx context.Context, folder string) ([]wire.SessionMetadata, error) {
	params := map[string]any{}
	if folder != "" {
		params["filter"] = map[string]any{"cwd": folder}
	}
	var out struct {
		Sessions []wire.SessionMetadata `json:"sessions"`
	}
	err := l.Call(ctx, "session.list", params, &out)
	return out.Sessions, err
}

// Metadata describes a stored session; nil if there is none.
func (l *Link) Metadata(ctx context.Context, id string) (*wire.SessionMetadata, error) {
	var out struct {
		Session *wire.SessionMetadata `json:"session"`
	}
	err := l.Call(ctx, "session.getMetadata", map[string]any{"sessionId": id}, &out)
	return out.Session, err
}

// Fork copies a session, and returns the id of the copy. title is "" for that of the session.
func (l *Link) Fork(ctx context.Context, id, title string) (string, error) {
	params := map[string]any{"sessionId": id}
	if title != "" {
		params["name"] = title
	}
	var out wire.Forked
	err := l.Call(ctx, "sessions.fork", params, &out)
	return out.SessionID, err
}

// Delete removes a stored session.
func (l *Link) Delete(ctx context.Context, id string) error {
	return l.Call(ctx, "sessions.delete", map[string]any{"sessionId": id}, nil)
}

// Rename gives a stored session another title. Messages that wait in the session stay as they are, and its log is
// not read.
func (l *Link) Rename(ctx context.Context, id, title string) error {
	c, err := l.connected(ctx, nil)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	on, err := c.ResumeSession(ctx, client.Config{ID: id, Params: map[string]any{
		"clientName": "sidestick-terminal", "disableResume": true, "continuePendingWork": true, "holdPendingWork": true,
	}})
	if err != nil {
		return l.refused("session.resume", err)
	}
	s := &Session{link: l, id: id, client: c, on: on}
	err = s.Rename(ctx, title)
	if left := s.detach(ctx); err == nil {
		err = left
	}
	return err
}

// Recap reads where the conversation of a stored session stands.
func (l *Link) Recap(ctx context.Context, id string) (*timeline.Recap, error) {
	r := &timeline.Recap{}
	for cursor, more := "", true; more; {
		params := map[string]any{"sessionId": id, "max": maxPage}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var p page
		if err := l.Call(ctx, "sessions.readPersistedEvents", params, &p); err != nil {
			return nil, err
		}
		for _, e := range p.events() {
			r.Add(e)
		}
		cursor, more = p.Cursor, p.More
	}
	return r, nil
}

// Models lists the names of the models of the server.
func (l *Link) Models(ctx context.Context) (names []string, err error) {
	var out struct {
		Models []struct {
			ID string `json:"id"`
		} `json:"models"`
	}
	err = l.Call(ctx, "models.list", nil, &out)
	for _, m := range out.Models {
		names = append(names, m.ID)
	}
	return names, err
}
