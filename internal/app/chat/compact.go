package chat

import (
	"context"
	"errors"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// compact has the conversation summarized, and prints the result. Ctrl-C cancels it.
func (c *chatter) compact(ctx context.Context, focus string) error {
	err := c.talk.compact(ctx, focus)
	if errors.Is(err, context.Canceled) {
		c.print(c.look.Yellow("cancelled; the conversation is unchanged") + "\n")
		return nil
	}
	return err
}

// compact follows a compaction to its last event, or to its error.
func (t *conversation) compact(ctx context.Context, focus string) error {
	ctx, cancel := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer cancel()
	ended := make(chan error, 1)
	asked.Go(func() {
		ended <- fault.Guard("chat.compact", func() error {
			_, err := t.client.Session().Compaction().Run(ctx, focus)
			return err
		})
	})
	t.compacted = true
	for {
		select {
		case err := <-ended:
			if err != nil {
				return err
			}
			ended = nil // its last event is on the way
		case <-t.interrupts:
			cancel()
		case h, ok := <-t.records:
			switch {
			case !ok:
				return errClosed
			case h.err != nil:
				return h.err
			}
			if _, err := t.Take(h.Event, printDisplay{t.show}); err != nil {
				return err
			}
			if h.Type == "session.compaction_complete" {
				if ended == nil {
					return nil
				}
				return <-ended
			}
		}
	}
}
