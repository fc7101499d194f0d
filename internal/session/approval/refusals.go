package approval

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// refusals are the clients whose answers to a question were not valid.
type refusals struct {
	from    Client   // the client that answers now; nil if the program does not say
	clients []Client // those that were refused, each once
	unnamed int      // refused answers of which the program does not say whose they are
	why     error    // of the last one; nil if there is none
}

type answeringKey struct{}

// AnsweredBy returns a context for the methods that answer a question, which says whose answer it is. Without it,
// each answer counts as that of a client of its own.
func AnsweredBy(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, answeringKey{}, c)
}

func answering(ctx context.Context) Client {
	c, _ := ctx.Value(answeringKey{}).(Client)
	return c
}

// again reports whether an earlier answer of the client that answers now was refused.
func (r *refusals) again() bool {
	return r.from == nil && r.unnamed > 0 || r.from != nil && slices.Contains(r.clients, r.from)
}

// add notes that the answer of the client that answers now is refused.
func (r *refusals) add(why error) {
	switch {
	case r.from == nil:
		r.unnamed++
	case !r.again():
		r.clients = append(r.clients, r.from)
	}
	r.why = why
}

// refuse notes an answer that does not fit, and returns the error for the client that gave it. The question
// stays open as long as another client can answer it. It ends, and the asker gets an error, when an answer of each
// client that can answer was refused: the SDKs give each answer once, do not look at the error, and would leave
// the asker waiting for ever.
func (o *Questions) refuse(q *question, why error) error {
	q.unfit.add(why)
	err := &fault.Error{Op: "approval.Answer", On: q.id, Kind: fault.Invalid, Err: why, Hint: "the question is still open for other clients"}
	if o.giveUp(q, why) {
		err.Hint = "the question has ended without an answer"
	}
	return err
}

// Refuse notes an answer that cannot be read, and returns the error for the client that gave it: why, if no
// question of that kind and id is open. The question stays open as long as another client can answer it.
func (o *Questions) Refuse(ctx context.Context, requestID string, can Ability, why error) error {
	return o.session.Do(ctx, func() error {
		q := o.open[requestID]
		if q == nil || q.can != can || q.stopped() != nil {
			return why
		}
		q.unfit.from = answering(ctx)
		return o.refuse(q, why)
	})
}

// giveUp ends a question without an answer if no client is left that can answer it and was not refused. It reports
// whether it has.
func (o *Questions) giveUp(q *question, why error) bool {
	left := 0
	for _, c := range o.clients.Answerers(q.can) {
		if !slices.Contains(q.unfit.clients, c) {
			left++
		}
	}
	if left > q.unfit.unnamed {
		return false
	}
	q.failed = fault.New(fault.Unavailable, "", "", "the client's answer does not fit the question: %w", why)
	o.end(q, nil)
	q.answer <- nil
	return true
}
