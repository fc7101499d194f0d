package strict

import "time"

// Reply is one answer of a [Server], in no dialect. The zero value is an answer without content.
type Reply struct {
	Parts []Part
	Usage Usage
	// End says why the answer ends. The zero value is the usual end: after calls the model waits
	// for their results.
	End End
	// Word, if set, is why the answer ends in the vendor's own words, in place of End.
	Word string
	// Fail is a failure in place of an answer, or after the first part of one.
	Fail Failure
	// Delay comes before the answer.
	Delay time.Duration
	// CutAfter breaks the connection of a stream after so many events; StallAfter sends nothing more
	// after so many, until the caller leaves. 0: never.
	CutAfter, StallAfter int
}

// Part is a piece of an answer: one of its fields is set. The order of parts is the model's.
type Part struct {
	Text      string
	Reasoning string // with a signature, or encrypted, where the dialect has that
	Call      *Call
}

// Call is a call of a tool. The server gives it an id as the vendor does.
type Call struct {
	Name, Arguments string // Arguments are a JSON object
}

// Usage counts tokens, each only once: Input is what was neither read from the cache nor written to
// it, and Output is without Reasoning. The dialect adds up what its vendor adds up.
type Usage struct {
	Input, CacheRead, CacheWrite, Output, Reasoning int
}

// End is why an answer ends.
type End uint8

// The ends of answers.
const (
	Done     End = iota
	Length       // the limit on the answer's tokens
	Filtered     // the vendor's filter, or the model refuses
)

// Failure is an error of the vendor.
type Failure uint8

// The failures.
const (
	None         Failure = iota
	WrongKey             // the API key is not known
	NoAccess             // the key may not use the model
	NoCredit             // the account has nothing left
	TooFast              // too many requests; the answer says to wait for a second
	TooLong              // the prompt exceeds the context window
	Overloaded           // the vendor is busy
	Broken               // an error of the vendor's own
	Flagged              // the prompt violates the vendor's policy
	NoSuchModel          // the model does not exist
	BreaksDuring         // the answer begins, and then an error comes within the stream
)

// Say returns a reply of text.
func Say(text string) Reply { return Reply{Parts: []Part{{Text: text}}} }

// Use returns a reply that calls tools.
func Use(calls ...Call) Reply {
	var r Reply
	for _, c := range calls {
		r.Parts = append(r.Parts, Part{Call: &c})
	}
	return r
}

// calls reports whether the answer calls a tool.
func (r *Reply) calls() bool {
	for _, p := range r.Parts {
		if p.Call != nil {
			return true
		}
	}
	return false
}
