package session

import (
	"cmp"
	"fmt"
	"reflect"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// spent is what a run has used of its budget.
type spent struct {
	mu     sync.Mutex // guards the rest
	turns  int
	tokens int64
	// asked is the last request, counted the last one whose tokens the provider has
	// counted: most of it is part of the next.
	asked, counted model.Request
	countedTokens  int64
}

// leastAnswer is the shortest answer worth a call, in tokens: with less left than
// that, a model could not even name a tool.
const leastAnswer = 256

// assumedOutput is how many tokens an answer is assumed to have at most, where neither
// the configuration nor the provider has a limit. A limit above what the model can answer
// with makes providers reject the call, so this is the limit of gpt-4o, which is among the
// smallest of models that are used with tools. An answer that is longer, and longer than
// what remains, exceeds the budget of its run, which then ends.
const assumedOutput = 16_384

// reserve makes sure that what remains of the budget is enough for the next call. Where
// less remains than the longest answer could take, it limits the answer to that. Text
// whose tokens were not counted yet counts with one token a byte, because no token is
// shorter; so more may remain at the end than was assumed. It holds for one call at a
// time: with a budget of tokens, a run summarises before a call and not beside it.
func (t *thread) reserve(p *turn.Prompt) {
	b := t.budget
	if b == nil {
		return
	}
	t.used.mu.Lock()
	defer t.used.mu.Unlock()
	if b.MaxTurns > 0 && t.used.turns >= b.MaxTurns {
		p.Stop = exhausted("%d of %d turns are used", t.used.turns, b.MaxTurns)
		return
	}
	if b.MaxTokens > 0 && !t.endpoint.isExtension() { // agents report no tokens
		left := b.MaxTokens - t.used.tokens - t.used.atMost(p)
		if left < leastAnswer {
			p.Stop = exhausted("%d of %d tokens are used, and the next call could need more than the rest", t.used.tokens, b.MaxTokens)
			return
		}
		if left < t.endpoint.longestAnswer(p.Request) {
			p.Request.MaxOutputTokens = int(left)
		}
	}
	t.used.turns++
	t.used.asked = p.Request
}

// longestAnswer is how many tokens the answer to a request has at most.
func (e turnEndpoint) longestAnswer(req model.Request) int64 {
	if limit := cmp.Or(req.MaxOutputTokens, e.endpoint.MaxOutputTokens); limit > 0 {
		return int64(limit)
	}
	longest := int64(cmp.Or(e.maxOutput, assumedOutput))
	if e.contextTokens > 0 {
		longest = min(longest, e.contextTokens)
	}
	return longest
}

// atMost is the most tokens that a request can have: those counted already of what
// it begins with like the one before it, and the bytes of the rest.
func (u *spent) atMost(p *turn.Prompt) int64 {
	most := p.Bytes()
	if u.countedTokens == 0 || u.counted.Model != p.Request.Model {
		return most
	}
	rest := turn.Prompt{Request: model.Request{Messages: p.Request.Messages}}
	for i, m := range u.counted.Messages {
		if i == len(p.Request.Messages) || !reflect.DeepEqual(m, p.Request.Messages[i]) {
			break
		}
		rest.Request.Messages = p.Request.Messages[i+1:]
	}
	if !reflect.DeepEqual(u.counted.Tools, p.Request.Tools) {
		rest.Request.Tools = p.Request.Tools
	}
	return min(most, u.countedTokens+rest.Bytes())
}

// spend adds what a call has used; its bytes if the provider did not count tokens.
func (u *spent) spend(call turn.Usage) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !call.Tokens.Reported {
		u.tokens += call.RequestBytes + call.AnswerBytes
		return
	}
	u.tokens += call.Tokens.Input + call.Tokens.Output
	u.counted, u.countedTokens = u.asked, call.Tokens.Input
}

// budgetExhausted is the type of the warning that a run ended because its budget is
// used up.
const budgetExhausted = "budget_exhausted"

func exhausted(format string, args ...any) error {
	return &fault.Error{Op: "session", Kind: fault.Denied, Err: fmt.Errorf(format, args...)}
}

// stoppedEarly is the warning that a run was not allowed to continue.
func stoppedEarly(why error) *wire.SessionWarning {
	return &wire.SessionWarning{WarningType: budgetExhausted, Message: "The run ended because its budget is used up: " + fault.Message(why) + "."}
}
