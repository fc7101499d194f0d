package session

import (
	"cmp"
	"context"
	"math"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Snapshot describes the session as it is now.
func (s *Session) Snapshot(ctx context.Context) (m wire.Snapshot, err error) {
	err = s.do(ctx, func() error {
		m = wire.Snapshot{
			SessionID: s.id, StartTime: whole(s.state.Started), ModifiedTime: whole(s.state.Modified), Summary: wire.Optional(s.state.Label()),
			SelectedModel: wire.Optional(s.currentModel()), CurrentMode: wire.SnapshotMode(s.state.SessionMode()), WorkingDirectory: s.state.Cwd,
			Workspace: s.workspace(), WorkspacePath: &s.dir,
		}
		m.AlreadyInUse = s.openElsewhere() != ""
		return nil
	})
	return m, err
}

// Working reports whether a run is under way.
func (s *Session) Working(ctx context.Context) (working bool, err error) {
	err = s.do(ctx, func() error { working = s.run != nil; return nil })
	return working, err
}

// currentModel is the model that the next turn uses, "" if the provider is to say.
func (s *Session) currentModel() string { return cmp.Or(s.state.Model, s.provider.Model) }

// Model returns the model that the next turn uses, and how hard it is to think;
// each is empty if nobody has said.
func (s *Session) Model(ctx context.Context) (model, effort string, err error) {
	err = s.do(ctx, func() error { model, effort = s.currentModel(), s.state.ReasoningEffort; return nil })
	return model, effort, err
}

// Provider returns where the session's model calls go.
func (s *Session) Provider(ctx context.Context) (p Provider, err error) {
	err = s.do(ctx, func() error { p = s.provider; return nil })
	return p, err
}

// SetReasoningEffort says how hard the model is to think from the next turn on. It
// is not checked against what the model knows: that is its provider's to say.
func (s *Session) SetReasoningEffort(ctx context.Context, effort string) error {
	if effort == "" {
		return fault.New(fault.Invalid, "session.model.setReasoningEffort", s.id, "reasoningEffort is empty")
	}
	return s.do(ctx, func() error {
		model := s.currentModel()
		return s.record(&wire.SessionModelChange{
			NewModel: model, PreviousModel: wire.Optional(model), ReasoningEffort: &effort, PreviousReasoningEffort: wire.Optional(s.state.ReasoningEffort),
		})
	})
}

// Offered returns the tools that the next turn offers to the model.
func (s *Session) Offered(ctx context.Context) (defs []tool.Definition, err error) {
	err = s.do(ctx, func() error {
		for _, t := range s.offered() {
			defs = append(defs, t.Definition())
		}
		return nil
	})
	return defs, err
}

// SetWorkingDirectory makes the session work in another directory, which must be
// there, and returns its absolute name. A relative one begins where the session
// works now. A run that is under way goes there with its next turn.
func (s *Session) SetWorkingDirectory(ctx context.Context, dir string) (at string, err error) {
	const op = "session.metadata.setWorkingDirectory"
	if dir == "" {
		return "", fault.New(fault.Invalid, op, s.id, "workingDirectory is empty")
	}
	err = s.do(ctx, func() error {
		if at = filepath.Clean(dir); !filepath.IsAbs(dir) {
			at = filepath.Join(s.state.Cwd, dir)
		}
		info, err := s.reg.opts.FS.Stat(at)
		switch {
		case err != nil:
			return s.onFile(op, "the working directory", err)
		case !info.IsDir():
			return fault.New(fault.Invalid, op, s.id, "%s is no directory", at)
		case at == s.state.Cwd:
			return nil
		}
		to := s.reg.locate(wire.Config{}, at)
		return s.move(&wire.SessionContextChanged{
			Cwd: to.Cwd, GitRoot: wire.Optional(to.GitRoot), Repository: wire.Optional(to.Repository), Branch: wire.Optional(to.Branch),
		})
	})
	return at, err
}

// RecordContext takes over what a client says of the directory that the session
// works in, such as its branch. News of another directory are ignored: where a
// session works is for [Session.SetWorkingDirectory] to say.
func (s *Session) RecordContext(ctx context.Context, c *wire.SessionContextChanged) error {
	return s.do(ctx, func() error {
		if c.Cwd != "" && filepath.Clean(c.Cwd) != filepath.Clean(s.state.Cwd) {
			return nil
		}
		c.Cwd = s.state.Cwd
		return s.move(c)
	})
}

func (s *Session) move(c *wire.SessionContextChanged) error {
	if err := s.record(c); err != nil {
		return err
	}
	if s.state.Title != "" { // else the first message does it
		s.describeWorkspace()
	}
	return nil
}

// systemSize is how long the system message is, in bytes: as it was sent last, or as
// it would be before clients rewrite it.
func (s *Session) systemSize() (n int64) {
	if s.state.SystemBytes > 0 {
		return s.state.SystemBytes
	}
	for _, section := range prompt.Sections(s.opening().env) {
		n += int64(len(section.Text))
	}
	return n
}

// Footprint is an estimate of what the next turn sends, in tokens.
type Footprint struct{ System, Conversation, Tools int64 }

// Measure estimates what the next turn sends. It reads the log if the conversation
// is not in memory.
func (s *Session) Measure(ctx context.Context) (f Footprint, err error) {
	var talk state.Thread
	var cuts state.Spans
	var ratio float64
	err = s.do(ctx, func() error {
		talk, cuts, ratio = s.state.Main, s.state.Cuts(), s.ratio
		talk.Messages = nil                           // they may change meanwhile, and are counted
		if agentOf(s.state.Model, s.provider) == "" { // which is sent neither
			f.System = s.systemSize()
			for _, t := range s.offered() {
				d := t.Definition()
				f.Tools += int64(len(d.Name) + len(d.Description) + len(d.Parameters))
			}
		}
		f.Conversation = int64(s.state.Main.Held)
		return nil
	})
	if err == nil && talk.Released > 0 {
		var entries []state.Message
		entries, err = talk.All(cuts, s.records(ctx)())
		for i := range entries {
			f.Conversation += int64(entries[i].Size())
		}
	}
	for _, n := range []*int64{&f.System, &f.Conversation, &f.Tools} {
		*n = int64(math.Ceil(float64(*n) / max(ratio, 1)))
	}
	return f, err
}
