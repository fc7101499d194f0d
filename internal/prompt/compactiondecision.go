package prompt

import (
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Action is what to do about the length of a conversation before the next request.
type Action uint8

const (
	Proceed       Action = iota // send it as it is
	TrimResults                 // apply [Trim], then decide again
	CompactBehind               // begin a compaction beside the conversation
	CompactNow                  // compact before anything is sent
	Await                       // wait for the compaction that is under way
	Stop                        // the conversation cannot go on: [Verdict.Err]
)

// Shares of the context window. Source: the SDK's infiniteSessions.
const (
	backgroundShare = 0.80
	exhaustionShare = 0.95
)

// minMessages is how many messages a conversation has, the system's apart, before it
// is compacted: a message, its answer, and one more. The first prompt of a session
// cannot set off a compaction unless its tools fill the window.
const minMessages = 3

// material is the share of the window by which a conversation must have grown since
// the last compaction before there is another; also what one must free to have been
// worth it, of what there was.
const material = 0.10

// Length is how long a conversation is, and what was done about it.
type Length struct {
	// Tokens is the estimate of the next request, Window what the model takes. 0 is
	// not known, and nothing is done.
	Tokens, Window int64
	// Messages counts those of the conversation, the system's apart.
	Messages int
	// Trimmable is what [Trim] would free, in tokens.
	Trimmable int64
	// Background and Exhaustion are shares of the window. Default 0.80 and 0.95; what
	// is not above 0 and at most 1 is the default.
	Background, Exhaustion float64
	// Off never compacts.
	Off bool
	// Running says that a compaction is under way.
	Running bool
	// Last is how the last compaction ended; nil if there was none.
	Last *Attempt
}

// Attempt is a compaction that has ended.
type Attempt struct {
	// Tokens is the estimate when it had ended.
	Tokens int64
	// Failures is how many have failed in a row, this one included.
	Failures int
}

// Ended is the attempt after a. a may be nil.
func (a *Attempt) Ended(tokens int64, failed bool) *Attempt {
	next := &Attempt{Tokens: tokens}
	if failed {
		next.Failures = 1
		if a != nil {
			next.Failures = a.Failures + 1
		}
	}
	return next
}

// Verdict is a decision.
type Verdict struct {
	Action Action
	// Err says why a conversation cannot go on, and what a person can do.
	Err error
}

// Decide says what to do before the next request. It never asks for two compactions
// without progress: after one, however it ended, there is none before the
// conversation has grown by a tenth of the window. There is one exception: if the
// window is full and only one attempt has failed, another is made before [Stop].
func Decide(l Length) Verdict {
	background, exhaustion := share(l.Background, backgroundShare), share(l.Exhaustion, exhaustionShare)
	full := func(share float64) bool { return float64(l.Tokens) >= share*float64(l.Window) }
	switch {
	case l.Window <= 0 || l.Off || !full(min(background, exhaustion)):
		return Verdict{}
	case l.Running && full(exhaustion):
		return Verdict{Action: Await}
	case l.Running:
		return Verdict{}
	case float64(l.Trimmable) >= material/2*float64(l.Window):
		return Verdict{Action: TrimResults}
	case l.Messages < minMessages, !l.moved():
		return l.last(full(1))
	case full(exhaustion):
		return Verdict{Action: CompactNow}
	}
	return Verdict{Action: CompactBehind}
}

// moved reports whether enough has happened since the last compaction.
func (l Length) moved() bool {
	return l.Last == nil || float64(l.Tokens-l.Last.Tokens) >= material*float64(l.Window)
}

// last decides where a compaction would not help, or was just tried.
func (l Length) last(full bool) Verdict {
	switch {
	case !full, l.Last == nil: // then it is for the provider to say
		return Verdict{}
	case l.Messages >= minMessages && l.Last.Failures == 1:
		return Verdict{Action: CompactNow}
	}
	return Verdict{Action: Stop, Err: &fault.Error{
		Op: "prompt.Decide", Kind: fault.Unavailable,
		Err:  fmt.Errorf("the conversation has about %d tokens, the model takes %d, and %s", l.Tokens, l.Window, l.why()),
		Hint: "start a new session, choose a model with a larger context window, or send less at once",
	}}
}

func (l Length) why() string {
	if l.Last.Failures > 0 {
		return "summarizing it has failed"
	}
	return "summarizing it again would not free enough"
}

func share(given, otherwise float64) float64 {
	if given > 0 && given <= 1 {
		return given
	}
	return otherwise
}

// LittleFreed returns the warning for users after a compaction that hardly freed anything;
// "" after one that did. Tokens are of the whole request.
func LittleFreed(before, after int64) string {
	if float64(before-after) >= material*float64(before) {
		return ""
	}
	return fmt.Sprintf("The conversation was summarized, but still has about %d of %d tokens. "+
		"It is summarized again only when it has grown; to work with less, start a new session.", after, before)
}
