package approval

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// answered is the result of [Requests.answer].
type answered struct {
	ok     bool         // the answer was recorded
	saving <-chan error // it counts if this yields nil; nil: nothing is to be saved
}

// answer gives an open request the answer of a client. An approval that outlasts the session
// is saved first, on another goroutine.
func (o *Requests) answer(d disk, r *request, a permit.Answer) (answered, error) {
	if a.NoUser && r.repeated {
		o.answerLater(r, a)
		return answered{ok: true}, nil
	}
	if addsRules(a) {
		a = o.policy.complete(d, r.parsed(), a)
	}
	if outlasts(a) {
		return answered{saving: o.startSaving(r, a)}, nil
	}
	err := o.finish(d, r, a)
	return answered{ok: err == nil}, err
}

// absence is how long a request that was sent again stays open after the answer that nobody is there. The program
// that resumes a session may answer it by its id, and has a handler all the same, which SDKs call first.
const absence = 5 * time.Second

// answerLater gives a request an answer that counts only if no other comes in the meantime.
func (o *Requests) answerLater(r *request, a permit.Answer) {
	if r.absent {
		return
	}
	r.absent = true
	time.AfterFunc(absence, func() {
		run := whenNotSaving(o.session.Post, func() *request { return r })
		_ = run(context.Background(), func() error { // an error is that of a session that has closed or cannot record anything
			if o.open[r.id] != r {
				return nil
			}
			return o.settle(r, a)
		})
	})
}

// outlasts reports whether an approval must be saved because it outlasts the session.
func outlasts(a permit.Answer) bool {
	return a.Outcome == permit.Approved && (a.Scope == permit.ForLocation || a.Scope == permit.Always)
}

// startSaving saves an approval and then answers the request with it, on a goroutine of
// its own: the session does not wait for the disk, and the caller may stop waiting. If that
// fails, the request is open as before. The result is sent on the channel.
func (o *Requests) startSaving(r *request, a permit.Answer) <-chan error {
	result, done := make(chan error, 1), make(chan struct{})
	r.saving = done
	o.session.Go("approval.save", func() {
		defer close(done) // afterwards, those who wait find the request answered, open, or the session closed
		result <- fault.Guard("approval.save", func() error { return o.saveAndFinish(r, a) })
	})
	return result
}

func (o *Requests) saveAndFinish(r *request, a permit.Answer) error {
	a, undo, failed := o.files.save(a, seenIn(a.Rules, r.parsed().Kind, r.about))
	defer o.policy.vouched.flush()
	// No context: the answer that is saved must count, whoever still waits for it.
	_, err := withDisk(context.Background(), o.files, o.session.Post, everything, func(d disk) (struct{}, error) {
		saving := r.saving
		r.saving = nil
		if failed != nil {
			o.reconsider(d) // the rules may have changed in the meantime
			return struct{}{}, failed
		}
		err := o.finish(d, r, a)
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

// finish completes a request and all other requests that the decision covers. A decision on
// this request alone covers no others.
func (o *Requests) finish(d disk, r *request, a permit.Answer) error {
	if err := o.settle(r, a); err != nil {
		return err
	}
	if a.InSandbox {
		o.policy.autoAllow = &a.InSandbox
	}
	if decidesMore(a) {
		o.reconsider(d)
	}
	return nil
}

// settle records a decision and passes it to the waiting call.
func (o *Requests) settle(r *request, a permit.Answer) error {
	if err := o.session.Record(r.asked.AgentID, completed(r, a)); err != nil {
		return err
	}
	if addsRules(a) {
		rules := permit.FromWire(permit.ToWire(a.Rules), "") // as the state reads them
		o.policy.vouched.allow(rules, seenIn(rules, r.parsed().Kind, r.about))
	}
	delete(o.open, r.id)
	if r.about != nil && (r.about.Bypass != "" || r.about.Again != "") && a.Outcome == permit.Rejected {
		o.policy.keepInside(r.about.Command.Text)
	}
	r.answered <- a
	return nil
}

// end closes a request for which no call waits. If the log cannot be written, the decision
// is sent to the clients all the same, because they wait for it.
func (o *Requests) end(r *request, a permit.Answer) {
	delete(o.open, r.id)
	if event := completed(r, a); o.session.Record(r.asked.AgentID, event) != nil {
		o.session.Emit(r.asked.AgentID, event)
	}
}

// completed returns the event that ends a request.
func completed(r *request, a permit.Answer) *wire.PermissionCompleted {
	return &wire.PermissionCompleted{RequestID: r.id, ToolCallID: &r.asked.ToolCallID, Result: Result(a)}
}

// reconsider completes the requests that the rules now decide, the oldest first. It skips
// requests from before a resume, which are decided when their calls run again, and requests
// whose approval is being saved. Call it after every change of the policy.
func (o *Requests) reconsider(d disk) {
	var asked []*request
	for _, r := range o.open {
		if r.about != nil && !r.isSaving() {
			asked = append(asked, r)
		}
	}
	slices.SortFunc(asked, func(a, b *request) int { return cmp.Compare(a.asked.Seq, b.asked.Seq) })
	for _, r := range asked {
		decided, why := o.policy.decide(d, r.about)
		if decided = withHook(r.hook, decided, &why.Decision); decided != nil {
			r.sandbox = why.sandbox
			_ = o.settle(r, *decided) // if it fails, the request stays open and a client can still answer it
		}
	}
}

// whenNotSaving returns run for functions that wait until no approval of the request that
// find names is being saved. find runs on the session's goroutine, and may return nil.
// Saving ends by itself: it writes one small file, and waits at most two seconds for
// another process.
func whenNotSaving(run mailbox.Runner, find func() *request) mailbox.Runner {
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
