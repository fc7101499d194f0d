package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// run is what one run has come to so far.
type run struct {
	idle, aborted, stopping bool
	message                 string // the id of the prompt that it answers
	said                    bool   // that has been told
	mode                    string // that the session has changed to
	failure                 string // the message of session.error
	correction              string // what a person said to a call that they refused
	asked                   map[string]timeline.Request
	turns                   int
	tokensIn, tokensOut     int64
}

// learn takes over what an event says of the run; those from before its prompt are
// an earlier one's.
func (r *run) learn(e wire.Event, row timeline.Row) {
	data := wire.Raw(e.Data)
	if e.Type == "user.message" && data.Get("messageId").Text() == r.message {
		r.said = true
	}
	if !r.said && !r.stopping {
		return
	}
	switch e.Type {
	case "assistant.usage":
		in, out := timeline.Tokens(e)
		r.tokensIn, r.tokensOut = r.tokensIn+in, r.tokensOut+out
	case "assistant.turn_start":
		if e.AgentID == "" {
			r.turns++
			r.correction = "" // the run goes on and knows what was said
		}
	case "session.error":
		r.failure = row.Title
		if text := data.Get("message").Text(); text != "" {
			r.failure = text
		}
	case "session.warning":
		if data.Get("warningType").Text() == show.BudgetExhausted {
			r.failure = strings.TrimSuffix(data.Get("message").Text(), ".") + budgetHint
		}
	case "session.mode_changed":
		r.mode = data.Get("newMode").Text()
	case "session.idle":
		r.idle, r.aborted = true, string(data.Get("aborted")) == "true"
	}
}

const budgetHint = " (the next prompt may take as much again; --max-turns, --max-tokens and --timeout say how much)"

// maxAsked bounds the questions that are remembered until they are answered.
const maxAsked = 100

// remember keeps what was asked, for who wants to know what could have allowed it.
func (r *run) remember(q timeline.Request) {
	if r.asked == nil {
		r.asked = map[string]timeline.Request{}
	}
	if len(r.asked) < maxAsked {
		r.asked[q.ID] = q
	}
}

func (r *run) err() error {
	switch {
	case r.aborted || !r.idle:
		return cli.ErrAborted
	case r.failure != "":
		return errors.New(r.failure)
	}
	return nil
}

// spending is what runs have taken.
type spending struct {
	turns   int
	in, out int64
}

func (r *run) spent() spending { return spending{r.turns, r.tokensIn, r.tokensOut} }

func (s spending) String() string {
	turns := "1 turn"
	if s.turns != 1 {
		turns = timeline.Count(int64(s.turns)) + " turns"
	}
	if s.in+s.out == 0 {
		return turns + "; the provider counts no tokens"
	}
	return fmt.Sprintf("%s, %s tokens in, %s out", turns, timeline.Count(s.in), timeline.Count(s.out))
}
