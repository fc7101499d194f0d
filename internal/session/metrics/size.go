package metrics

import (
	"context"
	"math"

	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Offered returns the tools that the model may call, and which of them the next request has.
func (m *Metrics) Offered(ctx context.Context) ([]offer.Chosen, error) {
	return mailbox.Ask(ctx, m.session.Do, func() ([]offer.Chosen, error) { return m.session.Offered(), nil })
}

// SmallTools reports whether the main agent is offered the small set of tools, as far as that is known: after a call, or
// after the provider was asked for the window of its model.
func (m *Metrics) SmallTools(ctx context.Context) (bool, error) {
	return mailbox.Ask(ctx, m.session.Do, func() (bool, error) { return m.session.Small(), nil })
}

// systemSize is how long the system message is, in bytes: as it was sent last, or as
// it would be before clients rewrite it.
func (m *Metrics) systemSize(programs []string) (n int64) {
	if m.session.State().Main.SystemBytes > 0 {
		return m.session.State().Main.SystemBytes
	}
	for _, section := range m.session.Sections(programs) {
		n += int64(len(section.Text))
	}
	return n
}

// Footprint estimates the size of the next request to the model, in tokens. Results are those of
// tools, a part of Conversation. ServerTools are the definitions of tools of MCP servers, a part of
// Tools. Deferred are the definitions that the request does not have, DeferredTools of them.
type Footprint struct {
	System, Conversation, Results, Tools, ServerTools, Deferred int64
	DeferredTools                                               int
}

// offer adds the definition of a tool, in bytes.
func (f *Footprint) offer(c *offer.Chosen) {
	d := &c.Definition
	size := int64(len(d.Name) + len(d.Description) + len(d.Parameters))
	if !c.Sent {
		f.Deferred += size
		f.DeferredTools++
		return
	}
	f.Tools += size
	if d.Origin == tool.MCP {
		f.ServerTools += size
	}
}

// count adds the results of the calls in a message, in bytes.
func (f *Footprint) count(m *state.Message) {
	for i := range m.Calls {
		f.Results += int64(m.Calls[i].ResultSize())
	}
}

// Measure estimates what the next turn sends. It reads the log if the conversation
// is not in memory.
func (m *Metrics) Measure(ctx context.Context) (f Footprint, err error) {
	programs := m.session.Programs()
	type measured struct {
		Footprint
		talk  state.Thread
		cuts  state.Spans
		ratio float64
	}
	now, err := mailbox.Ask(ctx, m.session.Do, func() (now measured, _ error) {
		now.talk, now.cuts, now.ratio = m.session.State().Main, m.session.State().Cuts(), m.ratio
		for i := range now.talk.Messages {
			now.count(&now.talk.Messages[i])
		}
		now.talk.Messages = nil     // they may change meanwhile, and are counted
		if !m.session.Extension() { // an agent is sent neither
			now.System = m.systemSize(programs)
			for _, d := range m.session.Offered() {
				now.offer(&d)
			}
		}
		now.Conversation = int64(m.session.State().Main.Held)
		return now, nil
	})
	f = now.Footprint
	if err == nil && now.talk.Released > 0 {
		var entries []state.Message
		entries, err = now.talk.All(now.cuts, m.session.Read(ctx, 1))
		for i := range entries {
			f.Conversation += int64(entries[i].Size())
			f.count(&entries[i])
		}
	}
	for _, n := range []*int64{&f.System, &f.Conversation, &f.Results, &f.Tools, &f.ServerTools, &f.Deferred} {
		*n = int64(math.Ceil(float64(*n) / max(now.ratio, 1)))
	}
	return f, err
}
