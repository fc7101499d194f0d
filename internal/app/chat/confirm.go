package chat

import (
	"context"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// host is where the agent is that the session's model is; "" if that is none.
func (t *talk) host() string {
	name, _, err := t.client.Session().Settings().Model(context.Background())
	address, _ := extensions.Address(name)
	u, parseErr := url.Parse(address)
	if err != nil || parseErr != nil {
		return ""
	}
	return u.Host
}

// sayInstead sends what a person has said in place of an answer. The session takes
// the question back, and goes on with this.
func (t *talk) sayInstead(ctx context.Context, text string) error {
	_, err := t.client.Session().Send(context.WithoutCancel(ctx), wire.Send{Prompt: text})
	if fault.KindOf(err) == fault.NotFound {
		return nil // the session has gone; its last events say so
	}
	return err
}
