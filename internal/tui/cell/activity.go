package cell

import (
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Activity is what happens now. The zero value is an idle session.
type Activity struct {
	Working bool          // a run is under way
	Waiting bool          // for the user, who was asked something
	Text    string        // "calling bash"
	Intent  string        // what the model says that it does, "" if it does not
	Elapsed time.Duration // since the run began
	Tokens  int64         // of the run so far; those of the answer that streams are estimated
	jobs    bool          // something runs beside the main agent
	stop    string        // how to interrupt it, "" if no key does
	now     time.Time
}

// Activity returns what happens now.
func (c *Conversation) Activity(now time.Time) Activity {
	r := &c.run
	a := Activity{now: now, stop: c.options.hint("%s to interrupt", keymap.Interrupt), jobs: len(c.jobs)+len(c.agents)+len(c.calls) > 0}
	if !r.working && r.compacting.IsZero() {
		return a
	}
	a.Working, a.Waiting, a.Elapsed = true, len(c.asked) > 0, now.Sub(r.since)
	if !r.working {
		a.Text, a.Elapsed = doesSummarize, now.Sub(r.compacting)
		return a
	}
	a.Tokens = c.follower.TokensIn + c.follower.TokensOut + r.bytes/bytesPerToken
	a.Text, a.Intent = c.doing(now), r.intent
	if a.Text != "" && a.Text == r.waiting.Text(now) {
		a.Elapsed = 0 // the text has a time, and how to interrupt matters more than another one
	}
	return a
}

// bytesPerToken estimates the tokens of an answer that streams.
const bytesPerToken = 4

// doing is what the main agent does now, as the user reads it.
func (c *Conversation) doing(now time.Time) string {
	r := &c.run
	if text := c.calling(); text != "" && !r.stopping && len(c.asked) == 0 {
		return text
	}
	switch {
	case r.stopping:
		return "stopping"
	case len(c.asked) == 1:
		return "waiting for your answer"
	case len(c.asked) > 1:
		return fmt.Sprintf("waiting for %d answers", len(c.asked))
	case r.retry.text != "" && r.retry.until.After(now):
		return fmt.Sprintf("retrying in %d s (%s)", int(r.retry.until.Sub(now).Seconds()+0.999), r.retry.text)
	case r.retry.text != "":
		return "retrying (" + r.retry.text + ")"
	case !r.compacting.IsZero() && r.doing == doesWait:
		return doesSummarize
	case r.doing == doesWait && r.waiting.Text(now) != "":
		return r.waiting.Text(now)
	case r.doing == doesWait && r.starting() != "":
		return r.starting()
	case r.doing == doesWait && len(c.agents) > 0 && c.follower.Turns > 0:
		return "waiting for " + plural(len(c.agents), "agent")
	}
	return r.doing
}

// calling is which tool calls run, "" if none does.
func (c *Conversation) calling() string {
	var one *call
	n := 0
	for _, t := range c.calls {
		if t.number > 0 && !t.typed {
			one, n = t, n+1
		}
	}
	switch {
	case n == 0:
		return ""
	case n > 1:
		return "running " + plural(n, "call")
	case one.agent != nil:
		return "waiting for " + one.agent.name
	}
	return "calling " + one.tool
}

// Tick returns after which time the rows of a conversation look different although nothing
// happens; 0 means that nothing moves.
func (a Activity) Tick() time.Duration {
	switch {
	case a.Working && !a.Waiting:
		return spinnerTick
	case a.Working || a.jobs:
		return time.Second
	}
	return 0
}

const spinnerTick = 100 * time.Millisecond

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// Row is the activity in one row, nil if the session is idle. It takes at most three quarters of
// the width, because a terminal that becomes narrower wraps longer rows before they can be drawn
// anew: parts that have no room are left out, the text of the activity last.
func (a Activity) Row(width int) row.Row {
	if !a.Working {
		return nil
	}
	most := width * 3 / 4
	r := row.Of(spinner[int(a.now.UnixMilli()/spinnerTick.Milliseconds())%len(spinner)], row.Accent)
	if a.Waiting {
		r = row.Of("?", row.Warning)
	}
	r = r.And(" ", row.Plain).Join(row.Text(timeline.OneLine(a.Text, 200)).Cut(most - 2))
	var parts []string
	if a.Elapsed >= time.Second {
		parts = append(parts, clock(a.Elapsed))
	}
	if a.stop != "" {
		parts = append(parts, a.stop)
	}
	if a.Tokens > 1 { // one is no news
		parts = append(parts, counted(a.Tokens)+" tokens")
	}
	if a.Intent != "" {
		parts = append(parts, a.Intent)
	}
	for _, p := range parts {
		if more := r.And(" · "+p, row.Dim); more.Width() <= most {
			r = more
		}
	}
	return r
}
