package server

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

func getClientMetadata(ctx context.Context, s *session.Session, _ named) (any, error) {
	return s.Workspace().ClientMetadata(ctx)
}

func updateClientMetadata(ctx context.Context, s *session.Session, p struct {
	Clear  bool              `json:"clear"`
	Remove []string          `json:"remove"`
	Set    map[string]string `json:"set"`
},
) (any, error) {
	return s.Workspace().UpdateClientMetadata(ctx, workspace.NotesPatch{Clear: p.Clear, Remove: p.Remove, Set: p.Set})
}

// maxMetadata bounds the sessions whose metadata one call reads.
const maxMetadata = 1000

// metadataEntry is the client metadata of one session, or why there is none.
type metadataEntry struct {
	Status    string             `json:"status"`
	SessionID string             `json:"sessionId"`
	Metadata  *map[string]string `json:"metadata,omitempty"`
	Code      string             `json:"code,omitempty"`
	Message   string             `json:"message,omitempty"`
}

// storedClientMetadata answers with one entry for each session, in their order.
func storedClientMetadata(ctx context.Context, c *conn, p struct {
	SessionIDs []string `json:"sessionIds"`
	Keys       []string `json:"keys"`
},
) (any, error) {
	if len(p.SessionIDs) > maxMetadata {
		return nil, unfit("sessionIds has %d ids, want %d or fewer", len(p.SessionIDs), maxMetadata)
	}
	for _, key := range p.Keys {
		if err := workspace.CheckNoteKey(key); err != nil {
			return nil, unfit("keys: %v", err)
		}
	}
	entries := []metadataEntry{}
	for _, id := range p.SessionIDs {
		e := metadataEntry{Status: "ok", SessionID: id}
		notes, err := c.home().Sessions.ClientMetadata(ctx, id)
		switch kind := fault.KindOf(err); {
		case err == nil:
			if p.Keys != nil {
				maps.DeleteFunc(notes, func(key, _ string) bool { return !slices.Contains(p.Keys, key) })
			}
			e.Metadata = &notes
		case errors.Is(err, workspace.ErrNewerNotes):
			e.Status = "unsupportedVersion"
		case kind == fault.NotFound:
			e.Status = "notFound"
		case kind == fault.Invalid:
			e.Status = "corrupt"
		default:
			e.Status, e.Code, e.Message = "unavailable", kind.String(), c.redact(fault.ForClient(err, "sessions.getClientMetadata"))
		}
		entries = append(entries, e)
	}
	return entries, ctx.Err()
}
