package chat

import (
	"context"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// host is the host of the agent that is the session's model, "" if the model is no agent.
func (t *conversation) host() string { return hostOf(t.client) }

func hostOf(c *session.Client) string {
	name, _, err := c.Session().Settings().Model(context.Background())
	address, _ := extensions.Address(name)
	u, parseErr := url.Parse(address)
	if err != nil || parseErr != nil {
		return ""
	}
	return u.Host
}

// sayInstead sends a message instead of an answer. The session withdraws the question and
// continues with the message.
func (t *conversation) sayInstead(ctx context.Context, text string) error {
	_, err := t.client.Session().Send(context.WithoutCancel(ctx), wire.Send{Prompt: text})
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session was closed; its last events say so
	}
	return err
}
