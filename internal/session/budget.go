package session

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// purse is what a run and its sub-agents have used of their budget.
type purse struct {
	mu     sync.Mutex // guards the rest
	turns  int
	tokens int64
	held   int64         // by calls under way: the most tokens that they may use
	freed  chan struct{} // closed when less is held; nil if no call waits for that
}

// spent is what one conversation of a run has used of the budget.
type spent struct {
	purse *purse

	mu     sync.Mutex // guards the rest; held before that of purse
	tokens int64
	held   int64 // as in purse, by this conversation
	// asked is the last request, counted the last one whose tokens the provider has
	// counted: most of it is part of the next.
	asked, counted model.Request
	countedTokens  int64
}

// leastAnswer is the shortest answer worth a call, in tokens: with less left than
// that, a model could not even name a tool.
const leastAnswer = 256

// reserve makes sure that what remains of the budget is enough for the next call. Where
// less remains than the longest answer could take, it limits the answer to that. Text
// whose tokens were not counted yet counts with one token a byte, because no token is
// shorter; so more may remain at the end than was assumed. It holds for one call of a
// conversation at a time: with a budget of tokens, a run summarises before a call and not
// beside it. Where calls of other conversations of the run may use up the rest, it waits
// until they have ended.
func (t *thread) reserve(ctx context.Context, p *turn.Prompt) error {
	if t.budget == nil {
		return nil
	}
	for {
		freed := t.tryReserve(p)
		if freed == nil {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tryReserve is reserve without waiting. It returns what to wait for, nil if the call is
// decided on.
func (t *thread) tryReserve(p *turn.Prompt) (freed <-chan struct{}) {
	b, all := t.budget, t.used.purse
	t.used.free()
	t.used.mu.Lock()
	defer t.used.mu.Unlock()
	all.mu.Lock()
	defer all.mu.Unlock()
	if b.MaxTurns > 0 && all.turns >= b.MaxTurns {
		p.Stop = exhausted("%d of %d turns are used", all.turns, b.MaxTurns)
		return nil
	}
	if b.MaxTokens > 0 && !t.endpoint.IsExtension() { // agents report no tokens
		request, answer := t.used.atMost(p), t.endpoint.LongestAnswer(p.Request)
		left := b.MaxTokens - all.tokens - all.held - request
		if left < answer && all.held > 0 {
			if all.freed == nil {
				all.freed = make(chan struct{})
			}
			return all.freed
		}
		if left < leastAnswer {
			p.Stop = exhausted("%d of %d tokens are used, and the next call could need more than the rest", all.tokens, b.MaxTokens)
			return nil
		}
		if left < answer {
			answer = left
			p.Request.MaxOutputTokens = int(left)
		}
		t.used.held = request + answer
		all.held += t.used.held
	}
	all.turns++
	t.used.asked = p.Request
	return nil
}

// free gives back what the last call of the conversation has held. It is called when the
// call or the conversation has ended.
func (u *spent) free() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.purse.mu.Lock()
	defer u.purse.mu.Unlock()
	u.purse.held -= u.held
	if u.held > 0 && u.purse.freed != nil {
		close(u.purse.freed)
		u.purse.freed = nil
	}
	u.held = 0
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
	defer u.free()
	u.mu.Lock()
	defer u.mu.Unlock()
	tokens := call.RequestBytes + call.AnswerBytes
	if call.Tokens.Reported && !call.Tokens.Partial {
		tokens = call.Tokens.Input + call.Tokens.Output
		u.counted, u.countedTokens = u.asked, call.Tokens.Input
	}
	u.tokens += tokens
	u.purse.mu.Lock()
	defer u.purse.mu.Unlock()
	u.purse.tokens += tokens
}

// total returns the tokens that the conversation has used.
func (u *spent) total() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.tokens
}

func exhausted(format string, args ...any) error {
	return &fault.Error{Op: "session", Kind: fault.Denied, Err: fmt.Errorf(format, args...)}
}

// overtime is why a run ends whose time is over.
type overtime struct{ limit time.Duration }

func (o *overtime) Error() string { return fmt.Sprintf("%v are over", o.limit) }

// stoppedEarly is the warning that a run was not allowed to continue.
func stoppedEarly(why error) *wire.SessionWarning {
	return &wire.SessionWarning{WarningType: wire.WarningBudget, Message: "The run ended because its budget is used up: " + fault.Message(why) + "."}
}
