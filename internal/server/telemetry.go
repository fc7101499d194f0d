package server

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// usageEvent is the parameters of gitHubTelemetry.event.
type usageEvent struct {
	SessionID  string `json:"sessionId"`
	Restricted bool   `json:"restricted"` // whether the event is about content, which this program never sends
	Event      struct {
		Kind       string             `json:"kind"`
		CreatedAt  string             `json:"created_at"`
		SessionID  string             `json:"session_id"`
		Properties map[string]string  `json:"properties"`
		Metrics    map[string]float64 `json:"metrics"`
	} `json:"event"`
}

// forward sends a client that asked for it a usage event: that it has created or resumed a
// session, and nothing of its content. No other receiver gets usage events, and nothing else
// is counted. It does not wait for the client.
func (c *conn) forward(kind, session string) {
	if !c.telemetry.Load() {
		return
	}
	e := usageEvent{SessionID: session}
	e.Event.Kind, e.Event.SessionID, e.Event.CreatedAt = kind, session, wire.FormatTime(time.Now())
	e.Event.Properties, e.Event.Metrics = map[string]string{"runtime": "sidestick", "runtime_version": c.srv.opts.Version}, map[string]float64{}
	c.relays.Go(func() {
		if err := c.rpc.Notify(c.ctx, "gitHubTelemetry.event", e); err != nil {
			c.srv.opts.Logger.Info("a usage event was not sent", "err", err)
		}
	})
}
