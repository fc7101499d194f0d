package prompt

import "fmt"

// Action says what to do about the length of a conversation before the next request.
type Action uint8

const (
	Proceed       Action = iota // send it unchanged
	TrimResults                 // apply [Trim], then decide again
	CompactBehind               // start a compaction in the background
	CompactNow                  // compact before anything is sent
	Await                       // wait for the compaction that is running
	LeaveOut                    // summaries do not help: leave a part of the conversation out of the request
)

// Shares of the context window. Source: the SDK's infiniteSessions.
const (
	backgroundShare = 0.80
	exhaustionShare = 0.95
)

// minMessages is how many messages a conversation must have, without the system message,
// before it is compacted: a message, its answer, and one more. The first message of a
// session cannot start a compaction unless the tools fill the window.
const minMessages = 3

// minGrowth is the share of the window by which a conversation must grow before the next
// compaction. It is also the share of the conversation that a compaction must free to count
// as useful.
const minGrowth = 0.10

// Length describes the length of a conversation and its compactions so far.
type Length struct {
	// Tokens is the estimated size of the next request, Window the model's context window,
	// both in tokens. If one is 0, which means unknown, nothing is compacted.
	Tokens, Window int64
	// Messages counts the messages without the system message.
	Messages int
	// Trimmable is the number of tokens that [Trim] would free.
	Trimmable int64
	// Background and Exhaustion are shares of the window. Defaults 0.80 and 0.95, which also
	// replace values that are not above 0 and at most 1.
	Background, Exhaustion float64
	// Off disables compaction.
	Off bool
	// Running is true while a compaction is running.
	Running bool
	// Last is the last compaction that ended; nil if there was none.
	Last *Attempt
}

// Attempt is a compaction that has ended.
type Attempt struct {
	// Tokens is the estimated size after it ended.
	Tokens int64
	// Failures counts the consecutive failures, this one included.
	Failures int
}

// Ended returns the attempt that follows a, which may be nil.
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

// Decide says what to do before the next request. After a compaction, whether it failed or
// not, the next one starts only when the conversation has grown by a tenth of the window.
// There is one exception: if the window is full and only one attempt has failed, another one
// is made before a part is left out.
func Decide(l Length) Action {
	background, exhaustion := share(l.Background, backgroundShare), share(l.Exhaustion, exhaustionShare)
	full := func(share float64) bool { return float64(l.Tokens) >= share*float64(l.Window) }
	switch {
	case l.Window <= 0 || l.Off || !full(min(background, exhaustion)):
		return Proceed
	case l.Running && full(exhaustion):
		return Await
	case l.Running:
		return Proceed
	case float64(l.Trimmable) >= minGrowth/2*float64(l.Window):
		return TrimResults
	case l.Messages < minMessages, !l.moved():
		return l.last(full(1))
	case full(exhaustion):
		return CompactNow
	}
	return CompactBehind
}

// moved reports whether the conversation has grown enough since the last compaction.
func (l Length) moved() bool {
	return l.Last == nil || float64(l.Tokens-l.Last.Tokens) >= minGrowth*float64(l.Window)
}

// last decides when a compaction would not help, or was just tried.
func (l Length) last(full bool) Action {
	switch {
	case !full, l.Last == nil: // send it and let the provider decide
		return Proceed
	case l.Messages >= minMessages && l.Last.Failures == 1:
		return CompactNow
	}
	return LeaveOut
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
	if float64(before-after) >= minGrowth*float64(before) {
		return ""
	}
	return fmt.Sprintf("The conversation was summarized, which freed little: it had about %d tokens and now has about %d. "+
		"It is summarized again only when it has grown; to work with less, start a new session.", before, after)
}
