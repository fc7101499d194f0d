package session

import (
	"context"
	"iter"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/rewind"
)

// History returns the session's history.
func (s *Session) History() rewind.History {
	return rewind.NewHistory(historyHost{recorder{s.log, s}}, s.id)
}

// historyHost is a session as its history sees it; it implements [rewind.Log].
type historyHost struct{ recorder }

func (h historyHost) Finish() error { return orphansOf(h.s).finish() }

func (h historyHost) Working() bool { return h.s.run != nil }

func (h historyHost) Resumed() bool { return h.s.config.resumed }

func (h historyHost) WithdrawPersonal() error { return h.s.requests.WithdrawPersonal() }

func (h historyHost) Files() *rewind.Files {
	home := h.s.home
	return rewind.New(rewindHost{h.s}, rewind.Options{
		ID: h.s.id, FS: home.FS, Resolve: home.Resolve, Kept: h.s.workspace.Stored(), Seal: home.Grants.Seal,
		RunScript: home.RunScript, Secrets: home.Secrets, Logs: h.s.log.Logger(),
	})
}

// rewindHost is a session as package rewind sees it; it implements [rewind.Session].
type rewindHost struct{ s *Session }

func (h rewindHost) Position(ctx context.Context) (rewind.Position, error) {
	if err := h.s.History().Refresh(ctx); err != nil {
		return rewind.Position{}, err
	}
	return mailbox.Ask(ctx, h.s.log.Do, func() (rewind.Position, error) {
		return rewind.Position{Cuts: h.s.log.State().Cuts(), Tracking: h.s.log.State().TracksFiles, Busy: h.working()}, nil
	})
}

// working reports whether files or the history may be changing.
func (h rewindHost) working() bool { return h.s.run != nil || h.s.tools.user.Busy() }

func (h rewindHost) Records(ctx context.Context) iter.Seq2[eventlog.Record, error] {
	return h.s.log.Read(ctx, 1)
}

func (h rewindHost) Truncate(ctx context.Context, eventID string) (int64, error) {
	return h.s.History().Truncate(ctx, eventID)
}

func (h rewindHost) Hold(ctx context.Context) (held bool, err error) {
	return mailbox.Deliver(ctx, h.s.log.Change, func() (bool, error) {
		return !h.working() && h.s.queue.Block(), nil
	}, func(held bool) {
		if held {
			h.s.queue.Free()
		}
	})
}

func (h rewindHost) Release() {
	_ = h.s.log.Post(context.Background(), func() error { h.s.queue.Free(); return nil })
}

func (h rewindHost) Project(ctx context.Context) (rewind.Project, error) {
	return mailbox.Ask(ctx, h.s.log.Do, func() (rewind.Project, error) {
		p := rewind.Project{Cwd: h.s.log.State().Cwd, GitRoot: h.s.log.State().GitRoot}
		if p.GitRoot != "" {
			p.Shell = h.s.tools.shell()
		}
		return p, nil
	})
}

func (h rewindHost) Cwd() string { return h.s.log.Cwd() }
