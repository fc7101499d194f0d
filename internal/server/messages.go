package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// send gives the session a message. One that waits for its answer, or goes to the front of the queue, is
// one of several messages of which there is only one.
func send(ctx context.Context, c *conn, a *attachment, p wire.Send) (any, error) {
	if p.Prepend || p.Wait {
		ids, err := sendAll(ctx, c, a, "session.send", p)
		if err != nil {
			return nil, err
		}
		return wire.Sent{MessageID: ids[0]}, nil
	}
	p.HeadersBy, p.Mode = string(c.owner()), delivery(ctx, a.client.Session(), p.Mode)
	id, err := a.client.Session().Send(ctx, p)
	return wire.Sent{MessageID: id}, err
}

// sendAll sends one message as the queue's SendAll sends several.
func sendAll(ctx context.Context, c *conn, a *attachment, op string, p wire.Send) (ids []string, err error) {
	s := a.client.Session()
	return s.Queue().SendAll(ctx, op, wire.SendMessages{
		Messages: []wire.Send{p}, Mode: delivery(ctx, s, p.Mode), AgentMode: p.AgentMode, Prepend: p.Prepend, RequestHeaders: p.RequestHeaders,
		HeadersBy: string(c.owner()), ResponseFormat: p.ResponseFormat, Wait: p.Wait,
	})
}

// delivery returns the mode in which messages are delivered. Programs also send a mode of the agent as mode, which the
// reference runtime accepts and does not act on; here a warning names it.
func delivery(ctx context.Context, s *session.Session, mode string) string {
	switch mode {
	case "interactive", "plan", "autopilot", "shell":
		_ = s.Settings().Ignored(ctx, wire.Unread{Settings: []wire.Setting{{
			Field: "mode", Why: fmt.Sprintf("it says when a message is delivered, and %q is a mode of the agent; send it as agentMode", mode),
		}}}) // a log that cannot be written refuses the message, too
		return ""
	}
	return mode
}

func abort(ctx context.Context, s *session.Session, p wire.AbortParams) (any, error) {
	var reason wire.AbortReason
	if p.Reason != nil {
		reason = *p.Reason
	}
	return wire.Success{Success: true}, s.Abort(ctx, reason)
}

func logEntry(ctx context.Context, s *session.Session, p wire.LogEntry) (any, error) {
	id, err := s.Log(ctx, p)
	return wire.Logged{EventID: id}, err
}

func switchModel(ctx context.Context, c *conn, a *attachment, p wire.ModelSwitch) (any, error) {
	if is(p.RequireAvailable) {
		if err := c.checkAvailable(ctx, a, p.ModelID); err != nil {
			return nil, err
		}
	}
	return wire.ModelSwitched{ModelID: &p.ModelID}, a.client.Session().Settings().SwitchModel(ctx, p)
}

// asksProvider reports whether a call of session.model.switchTo waits for a provider's list of models.
func asksProvider(params json.RawMessage) bool {
	return wire.Raw(params).Get("requireAvailable").True()
}

// updateOptions is session.options.update. Its settings are those of session.create that can change
// later.
func updateOptions(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
	p, err := c.readChange(params)
	if err != nil {
		return nil, err
	}
	a, err := c.attachment(sessionID(params))
	if err != nil {
		return nil, err
	}
	c.bring(p.CustomAgents)
	p.By, p.TokenBy, p.Remote = string(c.owner()), string(c.owner()), c.remote
	return wire.OptionsPatched{Success: true}, a.client.Update(ctx, p)
}

// getMessages answers with the bytes of the log, so that events that a client reads
// again equal those it was sent.
func getMessages(ctx context.Context, c *conn, a *attachment, _ named) (any, error) {
	return c.largeAnswer(ctx, func() (any, error) {
		events, err := a.client.Session().History().Events(ctx)
		return eventList(events), err
	})
}

func eventList(events [][]byte) json.RawMessage {
	size := len(`{"events":[]}`)
	for _, e := range events {
		size += len(e) + 1
	}
	out := append(make([]byte, 0, size), `{"events":[`...)
	for i, e := range events {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e...)
	}
	return append(out, "]}"...)
}
