package model

import "strings"

// Finish is why an answer ended, in one vocabulary for all dialects. Each dialect has a table
// of the words of its vendors; see [Finishes].
type Finish string

// The reasons. Only an answer that ends with "", [FinishStop] or [FinishToolCalls] is complete.
const (
	FinishStop       Finish = "stop"
	FinishToolCalls  Finish = "tool_calls"
	FinishLength     Finish = "length"           // the limit on the tokens of the answer was reached
	FinishWindow     Finish = "context_window"   // the context window was full before the answer was complete
	FinishRefusal    Finish = "refusal"          // the model refused to answer, or to go on
	FinishFilter     Finish = "content_filter"   // the provider stopped the answer: safety, recitation, a guardrail
	FinishMalformed  Finish = "malformed_call"   // the model began a call that its provider could not read
	FinishPaused     Finish = "paused"           // the provider expects the same conversation again
	FinishFailed     Finish = "provider_failure" // the provider broke the answer off, and gives no error
	FinishEmpty      Finish = "empty"            // there is neither text nor a call
	FinishRepetition Finish = "repetition"       // this program stopped the answer, because it repeated itself
	FinishUnknown    Finish = "unknown"          // the provider gave a reason that no table has
)

// Finishes says what the words of a dialect mean.
type Finishes map[string]Finish

// Of returns what a word means, whatever its case; "" if there is none.
func (f Finishes) Of(word string) Finish {
	if word == "" {
		return ""
	}
	if known, ok := f[strings.ToLower(word)]; ok {
		return known
	}
	return FinishUnknown
}

// Complete reports whether nothing of an answer is missing.
func (f Finish) Complete() bool { return f == "" || f == FinishStop || f == FinishToolCalls }

// Blocked reports whether the model or its provider did not want the answer to be given. Its
// calls are not to be run.
func (f Finish) Blocked() bool { return f == FinishRefusal || f == FinishFilter }

// ended decides how an answer has ended, from its content where the provider's word leaves that
// open: some say "stop" after calls, some give no word, and an answer without content says "stop",
// too.
func (r *Response) ended() {
	switch f := r.FinishReason; {
	case len(r.ToolCalls) > 0:
		if f == "" || f == FinishStop || f == FinishUnknown {
			r.FinishReason = FinishToolCalls
		}
	case strings.TrimSpace(r.Text) != "":
		switch f {
		case FinishToolCalls: // it has named calls and made none
			r.FinishReason = FinishMalformed
		case FinishEmpty: // it is not
			r.FinishReason = FinishUnknown
		}
	case f.Complete() && !r.Extension.any():
		r.FinishReason = FinishEmpty
	}
	if r.FinishReason.Complete() || r.FinishReason == FinishEmpty {
		r.FinishWord = "" // it says no more
	}
}

// any reports whether an agent has sent something besides its text.
func (p *ExtensionParts) any() bool {
	return p.References != nil || p.Later != nil || len(p.Sources)+len(p.Faults)+len(p.Notes) > 0
}

// Incomplete says in a sentence why the answer is not complete, "" if it is. The sentence begins
// with a capital and names the provider's own word if it says more than ours.
func (r *Response) Incomplete() string {
	return r.FinishReason.sentence(r.FinishWord)
}

func (f Finish) sentence(word string) string {
	said := ""
	if word != "" && word != string(f) {
		said = ` (the provider says "` + Excerpt([]byte(word), 80) + `")`
	}
	switch f {
	case "", FinishStop, FinishToolCalls:
		return ""
	case FinishLength:
		return "The answer was cut off at the limit on its tokens" + said + "."
	case FinishWindow:
		return "The answer was cut off because the context window of the model is full" + said + "."
	case FinishRefusal:
		return "The model refused to answer" + said + "."
	case FinishFilter:
		return "The provider's content filter stopped the answer" + said + "."
	case FinishMalformed:
		return "The answer ended with a tool call that could not be read" + said + "."
	case FinishPaused:
		return "The provider paused the answer and did not go on" + said + "."
	case FinishFailed:
		return "The provider broke the answer off" + said + "."
	case FinishRepetition:
		return "The answer was repeating itself and was stopped."
	case FinishEmpty:
		return "The answer is empty: it has no text and no tool call" + said + "."
	}
	return `The provider ended the answer for a reason that is not known, "` + Excerpt([]byte(word), 80) + `", so it may be incomplete.`
}

// withheld reports whether nothing is left of an answer that the model refused, or that the
// provider's filter stopped.
func withheld(r *Response) bool {
	return r.FinishReason.Blocked() && r.Text == "" && len(r.ToolCalls) == 0
}

// withholding is the failure of a call whose answer was withheld. Its code is the [Finish].
func withholding(r *Response, address string) *Error {
	message := "the provider's content filter withheld the answer"
	if r.FinishReason == FinishRefusal {
		message = "the model refused to answer"
	}
	if r.FinishWord != "" && r.FinishWord != string(r.FinishReason) {
		message += ` ("` + Excerpt([]byte(r.FinishWord), 80) + `")`
	}
	return &Error{
		URL: address, CallID: r.CallID, Category: CategoryContentFilter, Code: string(r.FinishReason), Message: message, Delivered: len(r.Reasoning) > 0,
	}
}
