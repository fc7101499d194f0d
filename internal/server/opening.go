package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// opening is the parameters of sessions.open, of all its kinds.
type opening struct {
	Kind      string              `json:"kind"`
	SessionID string              `json:"sessionId"` // or its only beginning, for "resume"
	Context   wire.SessionContext `json:"context"`
	Options   json.RawMessage     `json:"options"`
	EmitStart *bool               `json:"emitStart"`
	Resume    *bool               `json:"resume"` // false: record no session.resume
}

// opened is the answer of sessions.open.
type opened struct {
	Status    string `json:"status"`
	SessionID string `json:"sessionId,omitempty"`
}

// openSession creates a session or attaches the client to one, as session.create and
// session.resume do.
func openSession(ctx context.Context, c *conn, p opening) (any, error) {
	cfg, err := readOpening(&p)
	if err != nil {
		return nil, err
	}
	sessions := c.home().Sessions
	switch p.Kind {
	case "create":
		if p.EmitStart != nil && !*p.EmitStart {
			return nil, unfit("emitStart is false; every session here begins with session.start")
		}
		created, err := createSession(ctx, c, cfg)
		return c.opened("created", created, err)
	case "resume":
		cfg.SessionID, err = sessions.ByPrefix(ctx, p.SessionID)
	case "", "resumeLast":
		cfg.SessionID, err = sessions.LastFor(ctx, p.Context)
		if p.Kind == "" { // it opens nothing that the client has not named
			cfg.SessionID = ""
		}
	case "attach":
		if sessions.InMemory(p.SessionID) {
			cfg.SessionID = p.SessionID
		}
	case "remote", "cloud", "handoff":
		return nil, fault.New(fault.Invalid, "", "", "kind is %q; sessions of the GitHub service cannot be opened here", p.Kind)
	default:
		return nil, unfit(`kind is %q, want "create", "resume", "resumeLast" or "attach"`, p.Kind)
	}
	if err != nil || cfg.SessionID == "" {
		return opened{Status: "not_found"}, err
	}
	created, err := resumeSession(ctx, c, cfg)
	return c.opened("resumed", created, err)
}

func (c *conn) opened(status string, created any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return opened{Status: status, SessionID: created.(wire.Created).SessionID}, nil
}
