package cell

import (
	"fmt"
	"iter"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Page is the whole conversation for the pager.
type Page struct {
	Rows    []row.Row
	Prompts []int       // the rows at which messages of the user begin
	Calls   map[int]int // the row of each tool call, by its number
}

// Read makes the whole conversation from the events of the log: nothing is folded, and outputs and
// commands are complete. The events that are only sent are missing. The error is that of the
// events; the page has what came before it.
func Read(events iter.Seq2[wire.Event, error], width int) (Page, error) {
	c := New(Options{})
	c.whole = true
	p := Page{Calls: map[int]int{}}
	var reader timeline.Reader
	for e, err := range events {
		if err != nil {
			return p, err
		}
		c.Event(read(&reader, e), e.Time)
		p.collect(c, width)
	}
	c.finish()
	p.collect(c, width)
	p.Rows = append(p.Rows, c.live(scene{width: width, now: c.now, tail: liveTail})...)
	return p, nil
}

// read is an event as a follower gets it.
func read(r *timeline.Reader, e wire.Event) follow.Event {
	return follow.Event{Event: e, Row: r.Add(e), Cwd: r.Cwd()}
}

// collect takes the rows of a conversation, and notes where its messages and calls are.
func (p *Page) collect(c *Conversation, width int) {
	c.queue.each(width, func(of cell, rows []row.Row, begins bool) {
		at := len(p.Rows)
		if begins && len(rows[0]) == 0 {
			at++
		}
		p.Rows = append(p.Rows, rows...)
		switch of := of.(type) {
		case *prompt:
			p.Prompts = append(p.Prompts, at)
		case *call:
			p.Calls[of.number] = at
		}
	})
}

// Resume takes the events of the log of a session that is opened again. What becomes final is the
// last exchange: how many messages and calls came before it, the last message of the user, and
// what followed. It ends with what was interrupted. Events that follow go to [Conversation.Event].
func (c *Conversation) Resume(events iter.Seq2[wire.Event, error]) error {
	var reader timeline.Reader
	earlier := 0
	for e, err := range events {
		if err != nil {
			return err
		}
		if e.Type == "user.message" && e.AgentID == "" {
			earlier += c.forget()
		}
		c.Event(read(&reader, e), e.Time)
	}
	c.resumed(earlier)
	return nil
}

// forget removes all cells, and returns how many messages and calls those were.
func (c *Conversation) forget() (n int) {
	c.finish()
	for _, x := range c.queue.cells {
		if _, ok := x.(*note); !ok {
			n++
		}
	}
	c.queue = queue{}
	return n
}

// resumed ends what an earlier process has left open.
func (c *Conversation) resumed(earlier int) {
	open := c.run.turning || len(c.calls)+len(c.agents) > 0 || len(c.asked) > 0
	c.finish()
	for id, t := range c.calls {
		t.result, t.ended = &timeline.Row{Kind: timeline.Result, Failed: true, Title: "interrupted"}, t.began
		delete(c.calls, id)
	}
	clear(c.agents)
	clear(c.asked)
	clear(c.decided)
	c.jobs = nil
	c.run = run{model: c.run.model, mode: c.run.mode, folder: c.run.folder}
	c.usage = usage{context: c.usage.context}
	if open {
		c.queue.put(warning("This run was interrupted. Send a message to continue."))
	}
	if earlier > 0 {
		n := &note{text: fmt.Sprintf("%d earlier: Ctrl-O", earlier), style: row.Dim, loose: true}
		c.queue.cells = slices.Insert(c.queue.cells, 0, cell(n))
	}
}

// Source returns the text of the nth last answer, 1 for the last; "" if there is none.
func Source(events iter.Seq2[wire.Event, error], n int) (string, error) {
	var last []string
	for e, err := range events {
		if err != nil {
			return "", err
		}
		if e.Type != "assistant.message" || e.AgentID != "" {
			continue
		}
		if text := wire.Raw(e.Data).Get("content").Text(); text != "" {
			if last = append(last, text); len(last) > n {
				last = last[1:]
			}
		}
	}
	if n < 1 || len(last) < n {
		return "", nil
	}
	return last[0], nil
}
