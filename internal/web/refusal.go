package web

import (
	"errors"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// refusal is the reason for which a request is not carried out: a code for programs, a
// message for the user, and the field of the request that it is about, "" for none.
type refusal struct{ code, message, field string }

func (r *refusal) Error() string { return r.message }

func refused(code, message string) error { return &refusal{code: code, message: message} }

// errShutdown is the cause of contexts that end because the program does.
var errShutdown = refused("shutdown", "The agent is being restarted. Ask again in a moment; what it had asked you can still be answered.")

// faultOf returns an error in the words of the protocol; id names what failed.
func faultOf(err error, id string) extension.Fault {
	r := explained(err)
	return extension.Fault{Type: extension.FaultAgent, Code: r.code, Message: r.message, Identifier: id}
}

// explained returns an error in the form that clients may see. Of a failure of our own
// they see only that there was one, because its reason may name files of this machine.
func explained(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	switch kind := fault.KindOf(err); kind {
	case fault.Conflict:
		return &refusal{code: "conflict", message: "Another program is using this conversation. Try again when it has finished."}
	case fault.Invalid, fault.NotFound, fault.Denied:
		return &refusal{code: kind.String(), message: fault.Message(err)}
	}
	return &refusal{code: "internal", message: "The agent has failed, and its log says why."}
}

// logFailure logs the failures that clients see no reason of.
func (d *Door) logFailure(err error, session string) {
	var r *refusal
	if err != nil && !errors.As(err, &r) {
		d.opts.Logger.Error("a request failed", "session", session, "err", err)
	}
}
