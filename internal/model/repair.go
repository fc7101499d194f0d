package model

import (
	"hash/maphash"
	"regexp"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Repair names a change of a refused request with which the call is made once more, for a failure
// whose row in an [ErrorTable] names it. Each is made at most once in a call, and only if it
// changes something. The repairs that do not depend on the conversation are remembered for the
// endpoint and the model once a call has succeeded with them (remembered.go).
type Repair string

// The repairs.
const (
	// RepairTokensName sends the limit of the answer as max_completion_tokens.
	RepairTokensName Repair = "max_completion_tokens"
	// RepairResponses calls the model in the dialect Responses.
	RepairResponses Repair = "responses"
	// RepairEffort leaves the effort out, and how much reasoning is shown.
	RepairEffort Repair = "no reasoning effort"
	// RepairNoThinking turns thinking off for this call.
	RepairNoThinking Repair = "no thinking"
	// RepairReasoning leaves the reasoning of earlier answers out, in later calls, too.
	RepairReasoning Repair = "no earlier reasoning"
	// RepairImages leaves the pictures out that the conversation has, in later calls, too.
	RepairImages Repair = "no pictures"
	// RepairTool leaves out the tool that the message names.
	RepairTool Repair = "without a tool"
	// RepairOutputLimit allows the longest answer that the message names.
	RepairOutputLimit Repair = "a shorter answer"
	// RepairRest allows as long an answer as the prompt leaves room for.
	RepairRest Repair = "an answer that fits"
	// RepairHTTP calls over HTTP, where WebSockets do not work.
	RepairHTTP Repair = "HTTP"
)

// dialectResponses is the name of the dialect Responses, whose package imports this one.
const dialectResponses = "responses"

// fix is a repair with what it needs of the failure.
type fix struct {
	kind Repair
	n    int    // a limit, in tokens
	name string // of a tool

	until time.Time // when a repair that is remembered is forgotten; zero: never
}

// fixOf returns the repair that a failure asks for; ok is false if there is none.
func fixOf(e *Error) (f fix, ok bool) {
	f.kind = e.repair
	switch f.kind {
	case RepairOutputLimit:
		f.n = outputLimitIn(e.Message)
		return f, f.n > 0
	case RepairRest:
		f.n = restIn(e.Message)
		return f, f.n > 0
	case RepairTool:
		f.name = toolIn(e.Message)
		return f, f.name != ""
	}
	return f, f.kind != ""
}

// toolWord finds the name of a tool in "Invalid schema for function 'add': …".
var toolWord = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile("(?:function|tool) ['\"`]([A-Za-z0-9_.-]+)['\"`]")
}}

func toolIn(message string) string {
	if found := toolWord.Get().FindStringSubmatch(message); found != nil {
		return found[1]
	}
	return ""
}

// kept reports whether the repair is remembered for the endpoint and the model.
func (f fix) kept() bool {
	switch f.kind {
	case RepairTokensName, RepairResponses, RepairEffort, RepairTool, RepairOutputLimit, RepairHTTP:
		return true
	}
	return false
}

// note tells the user what the model did not get; "" if it got everything. An effort is
// [Response.WithoutEffort].
func (f fix) note() string {
	switch f.kind {
	case RepairImages:
		return "The provider refused the pictures of this conversation as too large, so the model does not see them."
	case RepairTool:
		return "The provider refused the schema of the tool " + f.name + ", so the model does not have this tool. Correct the schema."
	}
	return ""
}

// apply changes a request, whose slices belong to the caller, and its endpoint. It reports whether
// it has changed something.
func (f fix) apply(ep *Endpoint, r *Request) bool {
	switch f.kind {
	case RepairTokensName:
		done := ep.CompletionTokens
		ep.CompletionTokens = true
		return !done
	case RepairResponses:
		done := ep.Dialect == dialectResponses
		ep.Dialect = dialectResponses
		return !done
	case RepairHTTP:
		had := ep.WebSocket && ep.OrHTTP
		ep.WebSocket = ep.WebSocket && !had
		return had
	case RepairEffort:
		had := r.ReasoningEffort != ""
		r.ReasoningEffort, r.ReasoningSummary = "", ""
		return had
	case RepairNoThinking:
		had := r.ReasoningEffort != "none"
		r.ReasoningEffort = "none"
		return had
	case RepairTool:
		at := slices.IndexFunc(r.Tools, func(t Tool) bool { return WireName(t.Name) == f.name })
		if at >= 0 {
			r.Tools = slices.Delete(slices.Clone(r.Tools), at, at+1)
		}
		return at >= 0
	case RepairOutputLimit, RepairRest:
		now := r.OutputLimit(ep)
		if now != 0 && now <= f.n {
			return false
		}
		r.MaxOutputTokens = f.n
		return true
	case RepairReasoning:
		return without(r, func(*Reasoning) bool { return true }, nil)
	case RepairImages:
		return without(r, nil, func(*Part) bool { return true })
	}
	return false
}

// leftOut replaces a picture that the model does not get.
const leftOut = "[a picture was left out here: the provider refused it as too large]"

// without removes pieces of reasoning, and replaces pictures. It reports whether there was one.
func without(r *Request, reasoning func(*Reasoning) bool, picture func(*Part) bool) bool {
	var changed []Message
	edit := func(i int) *Message {
		if changed == nil {
			changed = slices.Clone(r.Messages)
		}
		return &changed[i]
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		if reasoning != nil && slices.ContainsFunc(m.Reasoning, func(p Reasoning) bool { return reasoning(&p) }) {
			edit(i).Reasoning = slices.DeleteFunc(slices.Clone(m.Reasoning), func(p Reasoning) bool { return reasoning(&p) })
		}
		for k := range m.Parts {
			if picture == nil || m.Parts[k].ImageURL == "" || !picture(&m.Parts[k]) {
				continue
			}
			e := edit(i)
			if &e.Parts[0] == &m.Parts[0] {
				e.Parts = slices.Clone(m.Parts)
			}
			e.Parts[k] = Part{Text: leftOut}
		}
	}
	if changed != nil {
		r.Messages = changed
	}
	return changed != nil
}

// seed is for the hashes of what providers have refused.
var seed = lazy.Value[maphash.Seed]{Make: maphash.MakeSeed}

func hashOf(text string) uint64 { return maphash.String(seed.Get(), text) }

func (p *Reasoning) hash() uint64 { return hashOf(p.Text + "\x00" + p.Opaque) }
