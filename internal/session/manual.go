package session

import (
	"context"
	"errors"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Run has the conversation of an idle session summarised; focus says what the
// summary is to look at above all, "" for nothing special. It returns when that is
// done. [fault.Conflict] if the session works, or is summarised already;
// [fault.Invalid] if there is nothing to summarise.
func (c Compaction) Run(ctx context.Context, focus string) (*wire.CompactionComplete, error) {
	t, k, err := c.prepare(ctx, focus)
	if err != nil {
		return nil, err
	}
	k.trigger = "manual"
	return c.condense(ctx, t, k)
}

// Handoff returns a summary of the conversation for somebody who takes over, and
// leaves the conversation as it is; "" if nothing was said yet.
func (c Compaction) Handoff(ctx context.Context) (string, error) {
	var known string // all that there is
	silent := false
	err := c.s.do(ctx, func() error {
		n := c.s.state.Main.Released + len(c.s.state.Main.Messages)
		if silent = n == 0; n == 1 && len(c.s.state.Main.Messages) == 1 && c.s.state.Main.Messages[0].Earlier != nil {
			known = c.s.state.Main.Messages[0].Text
		}
		return nil
	})
	if err != nil || silent || known != "" {
		return known, err
	}
	t, k, err := c.prepare(ctx, "")
	if err != nil {
		return "", err
	}
	resp, used, err := t.summary(ctx, k)
	if used.RequestBytes > 0 {
		err = errors.Join(err, c.s.post(context.WithoutCancel(ctx), func() error { return c.recordSummary(k, used) }))
	}
	if err != nil {
		return "", err
	}
	return prompt.ParseSummary(resp.Text).Text, nil
}

// prepare makes the request for a summary of an idle session.
func (c Compaction) prepare(ctx context.Context, focus string) (*thread, condensing, error) {
	var t *thread
	err := c.s.do(ctx, func() error {
		if c.s.run != nil {
			return fault.New(fault.Conflict, "session.compact", c.s.id, "the session is working; abort the run, or wait until it is idle")
		}
		t = c.s.newRun(wire.Send{}).main
		return nil
	})
	if err != nil {
		return nil, condensing{}, err
	}
	if err := c.s.look(ctx); err != nil {
		return nil, condensing{}, err
	}
	if t.endpoint, err = c.s.reg.resolve(ctx, t.choice); err != nil {
		return nil, condensing{}, err
	}
	if t.endpoint.isExtension() {
		return nil, condensing{}, fault.New(fault.Invalid, "session.compact", c.s.id, "an agent of another system is not asked for summaries")
	}
	p, talk, err := t.draft(ctx)
	if err != nil {
		return nil, condensing{}, err
	}
	size := prompt.Measure(p.Request.Messages, p.Request.Tools, p.BytesPerToken)
	k, err := t.plan(&p, size, state.Items(talk.entries), talk, focus)
	return t, k, err
}

// Cancel ends the compaction that is under way, if it was asked for as
// manual says. It reports whether there was one.
func (c Compaction) Cancel(ctx context.Context, manual bool) (canceled bool, err error) {
	err = c.s.do(ctx, func() error {
		if now := c.s.compact.running; now != nil && now.manual == manual {
			now.cancel()
			canceled = true
		}
		return nil
	})
	return canceled, err
}
