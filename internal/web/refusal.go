package web

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// refusal is why a request is not carried out: a word for programs, and words for the
// person, who reads them under the answer.
type refusal struct{ code, message string }

func (r *refusal) Error() string { return r.message }

func refused(code, message string) error { return &refusal{code, message} }

// errShutdown is the cause of a context that ends because the program does.
var errShutdown = refused("shutdown", "The agent is being restarted. Ask again in a moment; what it had asked you can still be answered.")

// faultOf is an error as the person is told of it, about what id names.
func faultOf(err error, id string) extension.Fault {
	r := told(err)
	return extension.Fault{Type: extension.FaultAgent, Code: r.code, Message: r.message, Identifier: id}
}

// told is an error as somebody elsewhere may read it. Of failures of ours they learn
// only that: the reasons name files of this machine.
func told(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	switch kind := fault.KindOf(err); kind {
	case fault.Conflict:
		return &refusal{"conflict", "Another program is at work in this conversation. Ask again when it is done."}
	case fault.Invalid, fault.NotFound, fault.Denied:
		return &refusal{kind.String(), fault.Message(err)}
	}
	return &refusal{"internal", "The agent has failed, and its log says why."}
}

// logFailure tells who runs the program what others are not told.
func (d *Door) logFailure(err error, session string) {
	var r *refusal
	if err != nil && !errors.As(err, &r) {
		d.opts.Logger.Error("a request failed", "session", session, "err", err)
	}
}

// stopped is why a request's context has ended: the shutdown, or that the person left.
func stopped(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, errShutdown) {
		return errShutdown
	}
	return ctx.Err()
}
