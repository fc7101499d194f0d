package session

import (
	"context"
	"math"

	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Snapshot describes the session as it is now.
func (m Metrics) Snapshot(ctx context.Context) (now wire.Snapshot, err error) {
	err = m.s.do(ctx, func() error {
		now = wire.Snapshot{
			SessionID: m.s.id, StartTime: whole(m.s.state.Started), ModifiedTime: whole(m.s.state.Modified), Summary: wire.Optional(m.s.state.Label()),
			SelectedModel: wire.Optional(m.s.Settings().currentModel()), CurrentMode: wire.SnapshotMode(m.s.state.SessionMode()), WorkingDirectory: m.s.state.Cwd,
			Workspace: m.s.Workspace().summary(), WorkspacePath: &m.s.dir,
		}
		now.AlreadyInUse = m.s.log.openElsewhere() != ""
		return nil
	})
	return now, err
}

// Working reports whether a run is under way.
func (m Metrics) Working(ctx context.Context) (working bool, err error) {
	err = m.s.do(ctx, func() error { working = m.s.run != nil; return nil })
	return working, err
}

// Offered returns the tools that the next turn offers to the model.
func (m Metrics) Offered(ctx context.Context) (defs []tool.Definition, err error) {
	err = m.s.do(ctx, func() error {
		for _, t := range m.s.tools.offered() {
			defs = append(defs, t.Definition())
		}
		return nil
	})
	return defs, err
}

// systemSize is how long the system message is, in bytes: as it was sent last, or as
// it would be before clients rewrite it.
func (m Metrics) systemSize() (n int64) {
	if m.s.state.SystemBytes > 0 {
		return m.s.state.SystemBytes
	}
	for _, section := range prompt.Sections(m.s.opening().env) {
		n += int64(len(section.Text))
	}
	return n
}

// Footprint is an estimate of what the next turn sends, in tokens.
type Footprint struct{ System, Conversation, Tools int64 }

// Measure estimates what the next turn sends. It reads the log if the conversation
// is not in memory.
func (m Metrics) Measure(ctx context.Context) (f Footprint, err error) {
	var talk state.Thread
	var cuts state.Spans
	var ratio float64
	err = m.s.do(ctx, func() error {
		talk, cuts, ratio = m.s.state.Main, m.s.state.Cuts(), m.s.totals.ratio
		talk.Messages = nil                                          // they may change meanwhile, and are counted
		if extensionOf(m.s.state.Model, m.s.config.provider) == "" { // which is sent neither
			f.System = m.systemSize()
			for _, t := range m.s.tools.offered() {
				d := t.Definition()
				f.Tools += int64(len(d.Name) + len(d.Description) + len(d.Parameters))
			}
		}
		f.Conversation = int64(m.s.state.Main.Held)
		return nil
	})
	if err == nil && talk.Released > 0 {
		var entries []state.Message
		entries, err = talk.All(cuts, m.s.History().records(ctx)())
		for i := range entries {
			f.Conversation += int64(entries[i].Size())
		}
	}
	for _, n := range []*int64{&f.System, &f.Conversation, &f.Tools} {
		*n = int64(math.Ceil(float64(*n) / max(ratio, 1)))
	}
	return f, err
}
