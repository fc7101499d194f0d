package session

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// planName is the file of the plan in the session's folder, which the model may
// write to, too.
const planName = "plan.md"

// maxPlan bounds a plan, in bytes: people and models read it whole.
const maxPlan = 1 << 20

// Plan returns the text of the plan; exists says whether there is one.
func (s *Session) Plan() (text string, exists bool, err error) {
	err = s.inFolder(".", func(dir vfs.Rooted) error {
		data, err := readText(dir, planName, maxPlan)
		text, exists = string(data), err == nil
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return text, exists, s.onFile("session.plan.read", "the plan", err)
}

// PlanPath is where the plan is, or would be.
func (s *Session) PlanPath() string { return filepath.Join(s.dir, planName) }

// UpdatePlan makes text the plan. It is on disk before the event is recorded: a
// process that dies between the two leaves the new plan, and nobody was told.
func (s *Session) UpdatePlan(ctx context.Context, text string) error {
	if len(text) > maxPlan {
		return fault.New(fault.Invalid, "session.plan.update", s.id, "the plan has %d bytes, want %d at most", len(text), maxPlan)
	}
	return s.do(ctx, func() error {
		operation := wire.PlanOperation("create")
		err := s.inFolder(".", func(dir vfs.Rooted) error {
			if _, err := dir.Stat(planName); err == nil {
				operation = "update"
			}
			return vfs.WriteFileAtomic(dir, planName, []byte(text), 0o600)
		})
		if err != nil {
			return s.onFile("session.plan.update", "the plan", err)
		}
		return s.record(&wire.SessionPlanChanged{Operation: operation})
	})
}

// DeletePlan removes the plan. If there is none, nothing happens.
func (s *Session) DeletePlan(ctx context.Context) error {
	return s.do(ctx, func() error {
		err := s.inFolder(".", func(dir vfs.Rooted) error {
			if err := dir.Remove(planName); err != nil {
				return err
			}
			return dir.SyncDir(".")
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return s.onFile("session.plan.delete", "the plan", err)
		}
		return s.record(&wire.SessionPlanChanged{Operation: "delete"})
	})
}

// inFolder runs f with the tree below a folder of the session's own.
func (s *Session) inFolder(sub string, f func(vfs.Rooted) error) error {
	dir, err := s.reg.opts.FS.Root(filepath.Join(s.dir, sub))
	if err != nil {
		return err
	}
	return errors.Join(f(dir), dir.Close())
}

// readText reads a regular file of at most limit bytes that is UTF-8. Anything else
// is an error: a pipe would never end, and bytes that are no text would not arrive
// at a client as they are.
func readText(dir vfs.Rooted, name string, limit int64) ([]byte, error) {
	info, err := dir.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	}
	file, err := dir.OpenFile(name, 0, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	return data, checkText(data, limit)
}
