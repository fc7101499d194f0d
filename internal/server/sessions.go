package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// named is for methods whose only parameter is a session id.
type named struct {
	SessionID string `json:"sessionId"`
}

// configured is a method with the settings of a session.
func configured(f func(ctx context.Context, c *conn, p wire.Config) (any, error)) method {
	return method{run: func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, err := c.readSettings(params)
		if err != nil {
			return nil, err
		}
		return f(ctx, c, p)
	}}
}

// createSession takes up the session of that id if there is one: programs with ids of their
// own do not know whether they run for the first time.
func createSession(ctx context.Context, c *conn, p wire.Config) (any, error) {
	if err := c.admit(ctx, &p); err != nil {
		return nil, err
	}
	return c.open(p, "session_start", func() (*session.Client, error) {
		return c.home().Sessions.Open(ctx, p, peer{c}, c.current(p.SessionID))
	})
}

func resumeSession(ctx context.Context, c *conn, p wire.Config) (any, error) {
	if p.SessionID == "" {
		return nil, missing("sessionId")
	}
	if err := c.admit(ctx, &p); err != nil {
		return nil, err
	}
	return c.open(p, "session_resume", func() (*session.Client, error) {
		return c.home().Sessions.Resume(ctx, p, peer{c}, c.current(p.SessionID))
	})
}

// open counts what a session takes, and enters it.
func (c *conn) open(p wire.Config, usage string, attach func() (*session.Client, error)) (any, error) {
	files, err := c.hold()
	if err != nil {
		return nil, err
	}
	client, err := attach()
	if err != nil {
		files.give()
		return nil, err
	}
	return c.enter(client, files, p, usage), nil
}

// admit adds to a configuration what the server knows and the client does not send. It fails
// if GitHub refuses the client's token.
func (c *conn) admit(ctx context.Context, p *wire.Config) (err error) {
	p.Remote, p.Carrier = c.remote, c.carrierOf()
	c.bring(p.CustomAgents)
	p.By, p.TokenBy = string(c.owner()), string(c.owner())
	p.Unread.Settings = slices.Concat(c.home().Ignored, p.Unread.Settings)
	if is(p.HasSkillProvider) {
		p.SkillProvider = &skillsOf{peer{c}}
	}
	if err = cmp.Or(checkToken("gitHubToken", p.GitHubToken), c.takeToken(ctx, p)); err != nil {
		return err
	}
	p.Account, err = c.home().Identity.verify(ctx, c.srv.opts.Logger, p.GitHubToken)
	if l, ok := c.home().Identity.current(); ok && p.GitHubToken == "" && p.Provider == nil {
		p.GitHubToken, p.TokenBy, p.Account = l.token, string(l.by.owner()), &wire.Account{Type: "user", Host: l.host, Login: l.login}
	}
	return err
}

// enter starts to relay a session's events and describes the session. usage names what happened
// in usage events. A session without
// compaction reports no workspace.
func (c *conn) enter(client *session.Client, files *holding, p wire.Config, usage string) wire.Created {
	c.attach(client, files)
	if p.ForwardTelemetry != nil {
		c.telemetry.Store(*p.ForwardTelemetry)
	}
	c.forward(usage, client.Session().ID())
	created := wire.Created{SessionID: client.Session().ID(), WorkspacePath: client.Session().Dir()}
	created.Capabilities.UI.Elicitation = client.Elicits()
	if i := p.InfiniteSessions; i != nil && i.Enabled != nil && !*i.Enabled {
		created.WorkspacePath = ""
	}
	created.Capabilities.UI.MCPApps = is(p.RequestMCPApps) && c.home().Sessions.MCPApps()
	return created
}

// destroySession closes the session for all clients. A session that does not exist is
// not an error: clients destroy their sessions when they stop, and collect errors.
func destroySession(ctx context.Context, c *conn, p named) (any, error) {
	a := c.take(p.SessionID)
	if a == nil {
		return wire.Success{Success: true}, nil
	}
	defer c.settle(a)
	return wire.Success{Success: true}, a.client.Session().Close(ctx)
}

// detachSession detaches this client; the session stays open for others.
func detachSession(ctx context.Context, c *conn, p named) (any, error) {
	a := c.take(p.SessionID)
	if a == nil {
		return wire.Success{Success: true}, nil
	}
	defer c.settle(a)
	defer a.stop()
	a.pages.Close()
	return wire.Success{Success: true}, a.client.Detach(ctx)
}

func deleteSession(ctx context.Context, c *conn, p named) (any, error) {
	err := c.remove(ctx, p.SessionID)
	if kind := fault.KindOf(err); err != nil && (kind == fault.NotFound || kind == fault.Invalid) {
		return wire.Success{Error: fault.Bounded(c.redact(fault.ForClient(err, "session.delete")))}, nil // the protocol wants an answer, not an error
	}
	return wire.Success{Success: true}, err
}

func listSessions(ctx context.Context, c *conn, p struct {
	Filter *wire.SessionContext `json:"filter"`
},
) (any, error) {
	if p.Filter == nil {
		p.Filter = &wire.SessionContext{}
	}
	list, err := c.list(ctx, *p.Filter)
	if err != nil {
		return nil, err
	}
	return struct {
		Sessions []wire.SessionMetadata `json:"sessions"`
	}{list}, nil
}

func getMetadata(ctx context.Context, c *conn, p named) (any, error) {
	m, err := c.describe(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	return struct {
		Session *wire.SessionMetadata `json:"session,omitempty"`
	}{m}, nil
}

func getLastID(ctx context.Context, c *conn, _ none) (any, error) {
	id, err := c.lastID(ctx)
	return struct {
		SessionID string `json:"sessionId,omitempty"`
	}{id}, err
}

func forkSession(ctx context.Context, c *conn, p wire.Fork) (any, error) {
	if p.SessionID == "" {
		return nil, missing("sessionId")
	}
	var until, name string
	if p.ToEventID != nil {
		until = *p.ToEventID
	}
	if p.Name != nil {
		name = *p.Name
	}
	id, err := c.home().Sessions.Fork(ctx, p.SessionID, until, name)
	return wire.Forked{SessionID: id, Name: p.Name}, err
}

// getForeground returns nothing: a foreground session is one that a terminal of the
// same process shows.
func getForeground(context.Context, *conn, none) (any, error) { return struct{}{}, nil }

func setForeground(_ context.Context, _ *conn, p named) (any, error) {
	if p.SessionID == "" {
		return nil, missing("sessionId")
	}
	return wire.Success{Error: fmt.Sprintf("Not running in TUI+server mode: session %s cannot be shown", p.SessionID)}, nil
}
