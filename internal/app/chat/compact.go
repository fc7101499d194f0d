package chat

import (
	"context"
	"errors"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// compact has the conversation summed up, and shows what comes of it. Ctrl-C gives up.
func (c *chatter) compact(ctx context.Context, focus string) error {
	err := c.talk.compact(ctx, focus)
	if errors.Is(err, context.Canceled) {
		c.print(c.look.Yellow("given up; the conversation is as it was") + "\n")
		return nil
	}
	return err
}

// compact follows a compaction to its last event, or to its error.
func (t *talk) compact(ctx context.Context, focus string) error {
	ctx, cancel := context.WithCancel(ctx)
	var asked sync.WaitGroup
	defer asked.Wait()
	defer cancel()
	ended := make(chan error, 1)
	asked.Go(func() {
		_, err := t.client.Session().Compaction().Run(ctx, focus)
		ended <- err
	})
	t.told = true
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
			if !ok {
				return errClosed
			}
			last, err := t.showOne(h)
			if err != nil {
				return err
			}
			if last == "session.compaction_complete" {
				if ended == nil {
					return nil
				}
				return <-ended
			}
		}
	}
}

// showOne shows an event between two runs.
func (t *talk) showOne(h heard) (wire.EventType, error) {
	if h.err != nil {
		return "", h.err
	}
	e, err := wire.ParseEvent(h.line)
	if err != nil {
		return "", err
	}
	return e.Type, t.show.Event(e, t.reader.Add(e), h.line)
}
