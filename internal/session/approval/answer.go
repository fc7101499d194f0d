package approval

import (
	"context"
	"errors"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Answer gives a request its answer. It reports false if no such request is open: another
// client was faster, or the run has ended. An approval for a location, or for always, is
// saved before any client hears of it, and only if it is the first answer: while it is
// being saved, other answers wait, and count if saving fails. If the answer cannot be
// recorded, what was saved for it is removed again. If ctx ends early, the answer may still
// count, and be saved.
func (p *Permissions) Answer(ctx context.Context, requestID string, a permit.Answer) (ok bool, err error) {
	find := func() *request { return p.open[requestID] }
	reading := want{} // most answers are for one call, and read no files
	if addsRules(a) {
		reading = everything
	}
	now, err := withDisk(ctx, p, p.whenNotSaving(p.session.Do, find), reading, func(d disk) (now answered, err error) {
		r := find()
		if r == nil {
			return now, nil
		}
		a := p.complete(d, r, a)
		if saved(a) {
			return answered{saving: p.startSaving(r, a)}, nil
		}
		err = p.finish(d, r, a)
		return answered{ok: err == nil}, err
	})
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

// addsRules reports whether an answer decides more than its request.
func addsRules(a permit.Answer) bool { return a.Outcome == permit.Approved && a.Scope != permit.Once }

// answered is what became of an answer.
type answered struct {
	ok     bool         // it was the first
	saving <-chan error // it counts if this yields nil; nil: nothing is to be saved
}

// saved reports whether an approval must be saved because it outlasts the session.
func saved(a permit.Answer) bool {
	return a.Outcome == permit.Approved && (a.Scope == permit.ForLocation || a.Scope == permit.Always)
}

// startSaving saves an approval and then answers the request with it, on a goroutine of
// its own: the session does not wait for the disk, and the caller may stop waiting. If that
// fails, the request is open as before. The result is sent on the channel.
func (p *Permissions) startSaving(r *request, a permit.Answer) <-chan error {
	result, done := make(chan error, 1), make(chan struct{})
	r.saving = done
	p.session.Go("approval.save", func() {
		defer close(done) // afterwards, those who wait find the request answered, open, or the session closed
		result <- fault.Guard("approval.save", func() error { return p.saveAndFinish(r, a) })
	})
	return result
}

func (p *Permissions) saveAndFinish(r *request, a permit.Answer) error {
	a, undo, failed := p.save(a)
	// No context: the answer that is saved must count, whoever still waits for it.
	_, err := withDisk(context.Background(), p, p.session.Post, everything, func(d disk) (struct{}, error) {
		saving := r.saving
		r.saving = nil
		if failed != nil {
			p.reconsider(d) // the rules may have changed in the meantime
			return struct{}{}, failed
		}
		err := p.finish(d, r, a)
		if err != nil {
			r.saving = saving // other answers wait until what was saved is removed
		}
		return struct{}{}, err
	})
	if err != nil && failed == nil { // another owner has taken the session over, or the log cannot be written
		err = errors.Join(err, undo())
	}
	return err
}

// finish completes a request and all other requests that the decision covers.
func (p *Permissions) finish(d disk, r *request, a permit.Answer) error {
	if err := p.settle(r, a); err != nil {
		return err
	}
	if addsRules(a) {
		p.reconsider(d)
	}
	return nil
}

// whenNotSaving returns run for functions that wait until no approval of the request that
// find names is being saved. find runs on the session's goroutine, and may return nil.
// Saving ends by itself: it writes one small file, and waits at most two seconds for
// another process.
func (p *Permissions) whenNotSaving(run mailbox.Runner, find func() *request) mailbox.Runner {
	return func(ctx context.Context, f func() error) error {
		for {
			saving, err := mailbox.Ask(ctx, run, func() (<-chan struct{}, error) {
				if r := find(); r != nil && r.isSaving() {
					return r.saving, nil
				}
				return nil, f()
			})
			if saving == nil || err != nil {
				return err
			}
			select {
			case <-saving:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// complete adds to an approval for more than one call the rules that it allows. If only the
// user may decide the request each time, the approval is limited to this call.
func (p *Permissions) complete(d disk, r *request, a permit.Answer) permit.Answer {
	if !addsRules(a) {
		return a
	}
	q := parseRequest(wire.Raw(r.asked.Data))
	if q.Personal {
		return permit.Answer{Outcome: permit.Approved}
	}
	if a.Rules == nil {
		a.Rules = p.rules(d, q).Covering(q)
	}
	a.Rules = sameScheme(a.Rules, q.Address)
	return a
}

// save keeps an approval for its location, or for always, in the file of grants. In this
// session it holds as soon as the answer is recorded, as an approval for the session does.
// undo removes from the file what save has added to it, and nothing that was there before.
func (p *Permissions) save(a permit.Answer) (completed permit.Answer, undo func() error, err error) {
	if a.Scope == permit.Always {
		var added []string
		err = p.opts.Grants.change(func(b *grantsFile) { added = b.addAddresses(a.Rules) })
		return a, func() error { return p.opts.Grants.change(func(b *grantsFile) { b.removeAddresses(added) }) }, err
	}
	l, err := p.opts.Paths.location("", p.session.Cwd())
	if err != nil {
		return a, nil, err
	}
	if a.Location == "" {
		a.Location = l.LocationKey
	}
	var added []wire.PermissionRule
	err = p.opts.Grants.change(func(b *grantsFile) { added = b.at(a.Location).add(permit.ToWire(a.Rules)); b.removeEmpty() })
	undo = func() error {
		return p.opts.Grants.change(func(b *grantsFile) { b.at(a.Location).remove(added); b.removeEmpty() })
	}
	return a, undo, err
}

// sameScheme makes an approval of a bare host cover the requested address.
func sameScheme(rules []permit.Rule, address string) []permit.Rule {
	const plain = "http://"
	rules = slices.Clone(rules)
	for i, r := range rules {
		if len(address) > len(plain) && address[:len(plain)] == plain && r.Kind == permit.URL && !slices.Contains([]byte(r.Argument), ':') {
			rules[i].Argument = plain + r.Argument
		}
	}
	return rules
}
