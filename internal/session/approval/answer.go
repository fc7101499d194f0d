package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Pending returns the open permission requests of all threads, the oldest first.
func (p *Permissions) Pending(ctx context.Context) (wire.PendingPermissions, error) {
	return mailbox.Ask(ctx, p.session.Do, func() (wire.PendingPermissions, error) { return p.requests.pending(), nil })
}

// Answer gives a request its answer. It reports false if no such request is open: another
// client was faster, or the run has ended. An approval for a location, or for always, is
// saved before any client hears of it, and only if it is the first answer: while it is
// being saved, other answers wait, and count if saving fails. If the answer cannot be
// recorded, what was saved for it is removed again. If ctx ends early, the answer may still
// count, and be saved.
func (p *Permissions) Answer(ctx context.Context, requestID string, a permit.Answer) (ok bool, err error) {
	find := func() *request { return p.requests.find(requestID) }
	reading := want{} // most answers are for one call, and read no files
	if decidesMore(a) {
		reading = everything
	}
	now, err := withDisk(ctx, p.files, whenNotSaving(p.session.Do, find), reading, func(d disk) (answered, error) {
		r := find()
		if r == nil {
			return answered{}, nil
		}
		return p.requests.answer(d, r, a)
	})
	p.vouched.flush() // what the client was granted holds after a crash
	if now.saving == nil || err != nil {
		return now.ok, err
	}
	select {
	case err := <-now.saving:
		return err == nil, err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
