package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func send(ctx context.Context, s *session.Session, p wire.Send) (any, error) {
	id, err := s.Send(ctx, p)
	return wire.Sent{MessageID: id}, err
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

func switchModel(ctx context.Context, s *session.Session, p wire.ModelSwitch) (any, error) {
	return wire.ModelSwitched{ModelID: &p.ModelID}, s.Settings().SwitchModel(ctx, p)
}

func updateOptions(ctx context.Context, s *session.Session, p wire.OptionsPatch) (any, error) {
	return wire.OptionsPatched{Success: true}, s.Settings().Update(ctx, p)
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
