package cell

import (
	"fmt"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Options say how a conversation is shown.
type Options struct {
	// Reasoning says how the reasoning of the model is shown: "full", "hidden", or else as one row.
	Reasoning string
	// Explain returns the text of a failed run: what has failed, and what the user can do. nil
	// shows the message of the failure.
	Explain func(follow.Failure) string
	// Keys is the table of keys that hints name, nil for that of the program.
	Keys *keymap.Table
}

// hint is a text about the key of an action, "" if the action has none.
func (o Options) hint(format, action string) string {
	keys := o.Keys
	if keys == nil {
		keys = keymap.Default()
	}
	if key := keys.Key(action); key != "" {
		return fmt.Sprintf(format, key)
	}
	return ""
}

// showsAll says how to read what is folded.
func (o Options) showsAll() string { return o.hint(", %s shows all", keymap.Output) }

// Conversation makes rows of the events of one session. Make one with [New]. Only one goroutine
// may use it at a time.
type Conversation struct {
	options Options
	whole   bool // for the pager: nothing is folded
	now     time.Time
	queue   queue

	follower follow.Follower // joins the text of answers, and counts what the run costs
	run      run
	count    int            // of tool calls, which are numbered from 1
	earlier  map[string]int // how many calls there were before a message of the user, by its event
	calls    map[string]*call
	agents   map[string]*agent
	jobs     []job
	asked    map[string]question
	decided  map[string]decision // about calls that have not begun
	growing  growing
	usage    usage
}

// New returns an empty conversation.
func New(o Options) *Conversation {
	c := &Conversation{options: o, calls: map[string]*call{}, earlier: map[string]int{}, agents: map[string]*agent{}, asked: map[string]question{}, decided: map[string]decision{}}
	c.follower.Earlier = true
	c.follower.Begin("")
	return c
}

// Event takes the next event of the session, which came at the given time. Pieces of text that
// stream are events too.
func (c *Conversation) Event(e follow.Event, now time.Time) {
	c.now = now
	if e.AgentID == "" && !c.run.working && begins(e) {
		c.begin()
	}
	_, _ = c.follower.Take(e, display{c}) // a display that never fails
}

// Take returns the rows that have become final since the last call, in order. Rows that were
// taken never change. They may be wider than width where a line must stay whole for copying.
func (c *Conversation) Take(width int) []row.Row { return c.queue.take(width) }

// Live returns the rows of what is still growing, at most height rows, each less than width
// columns wide. They change with each event, and with the time.
func (c *Conversation) Live(width, height int, now time.Time) []row.Row {
	var rows []row.Row
	for _, tail := range []int{liveTail, 2, 0} {
		if rows = c.live(scene{width: width, now: now, tail: tail}); len(rows) <= height {
			break
		}
	}
	rows = rows[max(len(rows)-max(height, 0), 0):]
	for i, r := range rows {
		rows[i] = r.Cut(width - 1)
	}
	return rows
}

// Below has the conversation, of which no rows were taken, follow another one on the screen: rows of
// the other that have not been taken come first, and a blank row is above the next ones.
func (c *Conversation) Below(other *Conversation) {
	q := other.queue
	q.cells = slices.Clip(q.cells)
	if at := slices.IndexFunc(q.cells, func(o cell) bool { return !o.done() }); at >= 0 {
		q.cells, q.begun = q.cells[:at:at], q.begun && at > 0
	}
	q.tight = false
	q.cells = append(q.cells, c.queue.cells...)
	c.queue = q
}

// Welcome adds the first rows of the interface: the name of the program, and what a new user needs.
func (c *Conversation) Welcome(name, hint string) {
	c.queue.put(&welcome{name, hint})
}

// Note adds a notice of the interface itself, such as "copied".
func (c *Conversation) Note(text string) { c.queue.put(&note{text: text, style: row.Dim}) }

// Warn adds a warning of the interface itself.
func (c *Conversation) Warn(text string) { c.queue.put(warning(text)) }

// display receives the text and the events of the follower.
type display struct{ *Conversation }

var _ follow.Display = display{}

// Text implements [follow.Display].
func (d display) Text(piece string, begins bool) error {
	d.text(piece, begins)
	return nil
}

// Event implements [follow.Display].
func (d display) Event(e follow.Event) (enough bool, err error) {
	d.take(e)
	return false, nil
}
