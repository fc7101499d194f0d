package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// run is what the terminal knows of a run beside its [follow.Outcome].
type run struct {
	stopping   bool   // it is being aborted
	told       bool   // the user knows that a model call fails
	turning    bool   // its first turn has begun
	mode       string // that the session has changed to; "" is none
	denied     bool   // the user's last answer was no
	correction string // what the user wrote with a denial
	asked      map[string]timeline.Request
	printed    map[string]string  // the end of the output of the calls that run, by id
	unhinted   []timeline.Request // no user could answer them after the first, which had a hint; at most maxAsked
	hinting    *timeline.Request  // no user could answer it, and a hint about it follows; nil if none does
	unmet      unmet
}

// learn takes over what an event of the run says.
func (r *run) learn(e follow.Event) {
	r.unmet.learn(e)
	switch e.Type {
	case "assistant.turn_start":
		if e.AgentID == "" {
			r.denied, r.correction = false, "" // the run continues, and the model has read it
		}
	case "session.mode_changed":
		r.mode = e.Get("newMode").Text()
	case "tool.execution_partial_result":
		r.prints(e.Row.Call, e.Row.Body)
	case "tool.execution_complete":
		delete(r.printed, e.Row.Call)
	}
}

// maxPrinted bounds the output of a call that is remembered, in bytes.
const maxPrinted = 2 << 10

// prints remembers the end of the output of a call.
func (r *run) prints(call, text string) {
	if r.printed == nil {
		r.printed = map[string]string{}
	}
	text = r.printed[call] + text
	if len(r.printed) < maxAsked {
		r.printed[call] = strings.ToValidUTF8(text[max(len(text)-maxPrinted, 0):], "")
	}
}

// costHint follows the reason of a cap on the cost.
const costHint = " (all prompts of this command together; --max-cost sets it)"

const budgetHint = " (each prompt has its own budget; --max-turns, --max-tokens and --timeout set it)"

// maxAsked bounds the requests that are remembered.
const maxAsked = 100

// remember keeps a request, so that a hint can say which flag would have allowed it.
func (r *run) remember(q timeline.Request) {
	if r.asked == nil {
		r.asked = map[string]timeline.Request{}
	}
	if len(r.asked) < maxAsked {
		r.asked[q.ID] = q
	}
}

// failure is why a run has not done what it was asked for, nil if it has.
func failure(o follow.Outcome) error {
	switch {
	case o.Aborted || !o.Idle:
		return cli.ErrAborted
	case o.Dropped && o.Failure.Type == wire.WarningPolicyBlocked: // the warning about it has been printed
		return cli.Reported(errors.New(o.Failure.Message))
	case o.Failure != nil && o.Finish != "":
		return cli.IncompleteError{Text: cmp.Or(o.Failure.Message, "the answer was withheld")}
	case o.Failure != nil:
		return errors.New(cmp.Or(o.Failure.Message, "the run has failed"))
	case o.Exhausted != "":
		hint := budgetHint
		if strings.Contains(o.Exhausted, " dollars are spent") {
			hint = costHint
		}
		return errors.New(strings.TrimSuffix(o.Exhausted, ".") + hint)
	case o.Finish != "": // the warning about it has been printed
		return cli.Reported(cli.IncompleteError{Text: cmp.Or(o.Incomplete, "the answer is not complete")})
	case o.Unreported != "":
		return cli.Reported(cli.IncompleteError{Text: o.Unreported, Type: wire.WarningUnreported})
	}
	return nil
}

// spending is what runs have used.
type spending struct {
	turns   int
	answers int // of model calls
	in, out int64
	// cached and written are those of in that providers have taken from their caches, and written to them.
	cached, written int64
	cost            float64 // in US dollars, without the calls that are not priced
	unpriced        int
}

// spent is what a run has used so far.
func spent(o follow.Outcome) spending {
	return spending{
		turns: o.Turns, answers: o.Answers, in: o.TokensIn, out: o.TokensOut, cached: o.CacheRead, written: o.CacheWritten,
		cost: o.Cost, unpriced: o.Unpriced,
	}
}

func (s *spending) add(more spending) {
	s.turns, s.answers, s.in, s.out = s.turns+more.turns, s.answers+more.answers, s.in+more.in, s.out+more.out
	s.cached, s.written = s.cached+more.cached, s.written+more.written
	s.cost, s.unpriced = s.cost+more.cost, s.unpriced+more.unpriced
}

func (s spending) String() string {
	turns := "1 turn"
	if s.turns != 1 {
		turns = timeline.Count(int64(s.turns)) + " turns"
	}
	if s.answers == 0 { // the provider had nothing to count
		return turns + ", no answer of the model"
	}
	if s.in+s.out == 0 {
		return turns + "; the provider does not count tokens"
	}
	text := fmt.Sprintf("%s, %s tokens in, %s out", turns, timeline.Count(s.in), timeline.Count(s.out))
	switch {
	case s.cost == 0:
		return text
	case s.unpriced > 0:
		return text + ", " + timeline.Dollars(s.cost) + " and calls of unknown price"
	}
	return text + ", " + timeline.Dollars(s.cost)
}

// A run of which nothing is printed before its end says why it waits after this many tries of a call, which take some
// seconds, or before a wait that is as long.
const (
	silentTries = 3
	silentWait  = 5 * time.Second
)

// retried prints a retry.
func (t *conversation) retried(r entry.Retry) error {
	broken := model.ErrorOf(r.Err) // after its first piece a warning of its own says so
	if t.quiet && !t.told && (broken == nil || !broken.Delivered) && (r.Next > silentTries || r.Wait >= silentWait) {
		t.told = true
		stderr := t.Options.Sys.Stderr
		return cli.Print(stderr, cli.ForScreen(stderr, fmt.Sprintf("sidestick: a model call has failed and is made again (%s)", timeline.Retry(r.Next, r.Left, fault.Message(r.Err), 200)))+"\n")
	}
	return t.show.Progress(fmt.Sprintf("retrying in %v (%s)",
		r.Wait.Round(100*time.Millisecond), timeline.Retry(r.Next, r.Left, fault.Message(r.Err), 200)))
}

// failed is the failure of a run as the user reads it. For a failed model call it says which
// address was called, where that was configured, and what to do next.
func (t *conversation) failed(ctx context.Context) error {
	err := failure(t.Outcome)
	f := t.Failure
	if f == nil || err == nil || t.Aborted || !t.Idle || t.Dropped {
		return err
	}
	advised := t.Advised(ctx, t.client.Session(), f.Type, err.Error())
	if t.Finish != "" {
		return cli.IncompleteError{Text: advised}
	}
	return errors.New(advised)
}
