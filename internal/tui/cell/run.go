package cell

import (
	"cmp"
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// run is what the main agent does now.
type run struct {
	working    bool
	turning    bool   // a turn is under way
	turn       string // its id
	owes       bool   // an answer to the last message of the user
	since      time.Time
	doing      string // "thinking"
	intent     string // what the calls are for
	retry      retry
	waiting    timeline.Waiting // what the model call waits for, until its answer begins
	stopping   bool
	aborted    bool  // the session has aborted it
	bytes      int64 // of the answer that streams
	calls      int   // since the run began
	denied     bool  // the last question was answered with no
	failing    string
	compacting time.Time // since when the conversation is summarized, zero if it is not
	model      string
	mode       string
	folder     string
	servers    map[string]bool // MCP servers that are starting, for which the first call of a run waits
}

// retry is a model call that is made again after a wait.
type retry struct {
	until time.Time
	text  string
}

// The states of the main agent, as the user reads it.
const (
	doesWait      = "waiting for the provider"
	doesThink     = "thinking"
	doesAnswer    = "answering"
	doesSummarize = "summarizing the conversation"
)

// modelFallback is the type of the warning that a model was replaced. Source:
// internal/session/recovery.go.
const modelFallback = "model_fallback"

// begins reports whether a run begins with the event, if none is under way.
func begins(e follow.Event) bool {
	return e.Type == "user.message" || e.Type == "assistant.turn_start" && !summarizes(e)
}

// summarizes reports whether a turn is the model call of a compaction. Its events have a row of
// their own.
func summarizes(e follow.Event) bool {
	return e.Get(wire.FieldPurpose).Text() == wire.PurposeCompaction
}

// begin begins a run.
func (c *Conversation) begin() {
	c.follower.Begin("")
	c.run = run{working: true, since: c.now, doing: doesWait, compacting: c.run.compacting, model: c.run.model, mode: c.run.mode, folder: c.run.folder, servers: c.run.servers}
}

// Retry says that a model call is made again, as the callback of the model client reports it: the
// number of the next attempt, from 2, after which wait, and for how long the call is tried again after
// that.
func (c *Conversation) Retry(next int, wait, left time.Duration, why string, now time.Time) {
	c.run.retry = retry{now.Add(wait), timeline.Retry(next, left, why, 100)}
}

// Stopping says whether the user has interrupted the run, which will end.
func (c *Conversation) Stopping(yes bool) { c.run.stopping = yes }

// stopped ends "stopping" when something begins after the run that was interrupted. No
// session.idle comes between two runs of a queue.
func (r *run) stopped() {
	if r.aborted {
		r.stopping, r.aborted = false, false
	}
}

// learn takes over what an event of the main agent says about the run.
func (r *run) learn(c *Conversation, e follow.Event) {
	r.folder = cmp.Or(e.Cwd, r.folder)
	switch e.Type {
	case "assistant.turn_start":
		if summarizes(e) {
			break
		}
		r.stopped()
		r.turning, r.turn = true, e.Get("turnId").Text()
		r.doing, r.bytes, r.denied, r.retry, r.intent = doesWait, 0, false, retry{}, ""
		r.failed(c)
	case wire.ReasoningDelta:
		r.doing, r.retry = doesThink, retry{}
		r.bytes += int64(len(e.Row.Body))
	case "assistant.message_start", wire.MessageDelta:
		r.doing, r.retry = doesAnswer, retry{}
		r.bytes += int64(len(e.Row.Body))
	case wire.ToolCallDelta:
		r.bytes += int64(len(e.Row.Body))
		r.doing, r.retry = "writing a call of "+timeline.OneLine(e.Get("toolName").Text(), 30), retry{}
	case "assistant.usage", "assistant.turn_retry":
		r.bytes = 0
	case "assistant.intent":
		r.intent = e.Row.Title
	case "user.message":
		r.stopped()
		r.owes = true
	case "assistant.message":
		r.owes = len(e.Get("toolRequests")) > len("[]")
	case "abort":
		r.owes, r.aborted = false, true
	case "session.error", "session.task_complete":
		r.owes = false
	case "assistant.turn_end":
		if e.Get("turnId").Text() == r.turn { // and not that of a summary
			c.finish()
			c.abandon()
			r.turning, r.doing = false, doesWait
		}
	case "session.compaction_start":
		r.compacting = c.now
		r.failed(c)
	case "session.compaction_complete":
		r.compacting = time.Time{}
	case "model.call_failure":
		c.finish()
		r.failing = e.Row.Title
	case "session.warning":
		if e.Get("warningType").Text() == modelFallback {
			r.failing = "" // the warning has it
		}
	case "session.model_change":
		r.model = cmp.Or(timeline.OneLine(e.Get("newModel").Text(), 100), r.model)
	case "session.mode_changed":
		r.mode = timeline.OneLine(e.Get("newMode").Text(), 40)
	}
	if m := e.Row; m.Kind == timeline.Model {
		r.model = cmp.Or(m.Title, r.model)
	}
}

// server takes over the state of an MCP server.
func (r *run) server(name, status string) {
	if status != string(wire.MCPPending) {
		delete(r.servers, name)
		return
	}
	if r.servers == nil {
		r.servers = map[string]bool{}
	}
	r.servers[name] = true
}

// starting is what the user reads while MCP servers are starting, "" if none is.
func (r *run) starting() string {
	switch len(r.servers) {
	case 0:
		return ""
	case 1:
		for name := range r.servers {
			return "waiting; the MCP server " + timeline.OneLine(name, 40) + " is starting"
		}
	}
	return fmt.Sprintf("waiting; %d MCP servers are starting", len(r.servers))
}

// waits takes over what the model call waits for. That ends with the first piece of an answer, or with the
// turn.
func (r *run) waits(e follow.Event, now time.Time) {
	if e.Type == "session.mcp_server_status_changed" {
		r.server(e.Get("serverName").Text(), e.Get("status").Text())
	}
	if w, ok := timeline.ReadWaiting(e.Event, now); ok {
		if r.waiting = w; w.Loading {
			r.retry = retry{} // the server has answered
		}
		return
	}
	if timeline.EndsWaiting(e.Type) {
		r.waiting = timeline.Waiting{}
	}
}

// failed shows the failure of a model call after which the run continues.
func (r *run) failed(c *Conversation) {
	if r.failing != "" {
		c.queue.put(warning(r.failing))
		r.failing = ""
	}
}

// failure shows the failure of a run.
func (c *Conversation) failure(text string) {
	c.finish()
	c.run.failing = ""
	c.queue.put(failed(cmp.Or(text, "the run has failed")))
}

// idle ends a run.
func (c *Conversation) idle(aborted bool) {
	c.finish()
	c.abandon()
	if c.follower.Failure == nil {
		c.run.failed(c)
	}
	c.run.failing = ""
	switch {
	case aborted:
		c.queue.put(&note{mark: markStopped + " ", text: "interrupted", style: row.Warning})
	case c.run.denied:
		c.queue.put(&note{text: "run ended: you denied the request", style: row.Dim})
	case c.follower.Incomplete != "": // a warning has said why
		c.queue.put(&note{mark: markStopped + " ", text: "run ended: the answer is not complete", style: row.Warning})
	}
	if parts := c.cost(); parts != nil && c.run.working {
		c.queue.put(&note{parts: parts, style: row.Dim, last: true})
	}
	c.run.working, c.run.stopping, c.run.aborted, c.run.retry = false, false, false, retry{}
}

// longRun is from which time on a run that did nothing else has its time shown.
const longRun = 5 * time.Second

// cost is what the run took: its time, its calls, its tokens, its price; nil if that is too little to
// be shown.
func (c *Conversation) cost() []string {
	o, took := c.follower.Outcome, c.now.Sub(c.run.since)
	if o.TokensIn+o.TokensOut == 0 && c.run.calls == 0 && took < longRun {
		return nil
	}
	parts := []string{elapsed(took)}
	if c.run.calls > 0 {
		parts = append(parts, plural(c.run.calls, "call"))
	}
	if o.TokensIn+o.TokensOut > 0 {
		parts = append(parts, counted(o.TokensIn)+" tokens in, "+counted(o.TokensOut)+" out")
	}
	if o.Cost > 0 {
		price := timeline.Dollars(o.Cost)
		if o.Unpriced > 0 {
			price += " and calls of unknown price"
		}
		parts = append(parts, price)
	}
	return parts
}

// abandon ends the calls of the model that have no result although the turn has ended, as in logs
// of other programs.
func (c *Conversation) abandon() {
	for _, x := range c.queue.cells {
		if t, ok := x.(*call); ok && t.result == nil && !t.typed {
			t.result, t.ended = &timeline.Row{Kind: timeline.Result, Failed: true, Title: "no result"}, c.now
		}
	}
	for id, t := range c.calls {
		if !t.typed {
			delete(c.calls, id)
		}
	}
	clear(c.decided)
}
