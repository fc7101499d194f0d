package chat

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// permitting finds out whether the session allows everything.
func (c *chatter) permitting(ctx context.Context) error {
	mode, err := c.talk.client.Session().Permissions().Mode(ctx)
	c.allowed = mode == wire.ModeAllowAll
	return err
}
