package chat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// retried prints a retry.
func (t *conversation) retried(r entry.Retry) error {
	return t.show.Progress(fmt.Sprintf("retrying in %v (%s)",
		r.Wait.Round(100*time.Millisecond), timeline.Retry(r.Next, r.Left, fault.Message(r.Err), 200)))
}

// failed is the failure of a run as the user reads it. For a failed model call it says which
// address was called, where that was configured, and what to do next.
func (t *conversation) failed(ctx context.Context) error {
	err := failure(t.Outcome)
	f := t.Failure
	if f == nil || err == nil || t.Aborted || !t.Idle {
		return err
	}
	advised := t.Advised(ctx, t.client.Session(), f.Type, err.Error())
	if t.Finish != "" {
		return cli.IncompleteError{Text: advised}
	}
	return errors.New(advised)
}
