package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// userTurn is a message of the user with the changes of files that followed it.
type userTurn struct {
	eventID  string
	at       time.Time
	text     string
	auto     bool // the agent was asked to continue in autopilot
	captures []wire.FileCapture
}

// turns are the turns of the history, the oldest first. busy is true, and there are no turns,
// while the session works.
func (h History) turns(ctx context.Context) (turns []userTurn, tracking, busy bool, err error) {
	type position struct {
		cuts           state.Spans
		tracking, busy bool
	}
	if err := h.rebuild(ctx); err != nil {
		return nil, false, false, err
	}
	now, err := mailbox.Ask(ctx, h.s.do, func() (position, error) {
		return position{h.s.state.Cuts(), h.s.state.TracksFiles, h.working()}, nil
	})
	if err != nil || now.busy && now.tracking {
		return nil, now.tracking, now.busy, err
	}
	for rec, err := range now.cuts.Kept(h.records(ctx)()) {
		if err != nil {
			return nil, false, false, err
		}
		e, err := wire.ParseEvent(rec.JSON)
		if err != nil {
			continue
		}
		switch data := wire.Raw(e.Data); {
		case e.Type == "user.message" && e.AgentID == "" && state.BeginsTurn(data):
			turns = append(turns, userTurn{
				eventID: e.ID, at: e.Time, text: data.Get("content").Text(), auto: data.Get("isAutopilotContinuation").True(),
			})
		case e.Type == "session.info" && data.Get("infoType").Text() == wire.InfoFileCaptured && len(turns) > 0:
			var c wire.FileCapture
			if json.Unmarshal(data.Get(wire.FieldCapture), &c) == nil && c.Path != "" {
				last := &turns[len(turns)-1]
				last.captures = append(last.captures, c)
			}
		}
	}
	return turns, now.tracking, now.busy, nil
}

// working reports whether files or the history may be changing.
func (h History) working() bool { return h.s.run != nil || h.s.tools.user.busy() }

// change is what happened to one file in the turns that a rewind removes.
type change struct {
	path                      string
	before, after             string // digests; "" if it does not exist
	mode                      fs.FileMode
	linesAdded, linesRemoved  int64
	uncaptured, restorable    bool
	snapshots                 []string
	existedBefore, existsLast bool
}

// changes sums up captures by file, ordered by path. A file is restorable if this session has
// kept its old version in each of its captures, on this machine.
func (h History) changes(captures []wire.FileCapture) []change {
	byPath := map[string]*change{}
	for _, c := range captures {
		k := byPath[c.Path]
		if k == nil {
			k = &change{path: c.Path, before: c.Before, mode: fs.FileMode(c.Mode), existedBefore: c.Before != ""}
			byPath[c.Path] = k
		}
		k.after, k.existsLast = c.After, c.After != ""
		k.uncaptured = k.uncaptured || c.Skipped || !filesOf(h.s).ours(c)
		k.linesAdded += c.LinesAdded
		k.linesRemoved += c.LinesRemoved
		if c.Before != "" {
			k.snapshots = append(k.snapshots, c.Before)
		}
	}
	var list []change
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		k := *byPath[path]
		if k.restorable = !k.uncaptured; k.before == k.after && k.restorable {
			continue // it is as it was
		}
		list = append(list, k)
	}
	return list
}

// RewindPoints lists the turns to which the session can be rewound. tracking reports whether
// the session has kept old versions of files since its first turn. busy reports that a run is
// in progress; a session with tracking then has no points.
func (h History) RewindPoints(ctx context.Context) (points []wire.RewindPoint, tracking, busy bool, err error) {
	turns, tracking, busy, err := h.turns(ctx)
	var later []wire.FileCapture
	for _, t := range slices.Backward(turns) {
		later = append(slices.Clone(t.captures), later...)
		all := h.changes(later)
		p := wire.RewindPoint{
			EventID: t.eventID, Timestamp: wire.FormatTime(t.at), UserMessage: t.text, IsAutopilotContinuation: t.auto,
			TurnChangedFiles: len(t.captures) > 0, FileCount: int64(len(all)),
			CanRestoreFiles: slices.ContainsFunc(all, func(k change) bool { return k.restorable }),
		}
		for _, c := range t.captures {
			p.LinesAdded += c.LinesAdded
			p.LinesRemoved += c.LinesRemoved
		}
		points = append(points, p)
	}
	slices.Reverse(points)
	return points, tracking, busy, err
}

// discarded are the changes of files from a turn on.
func (h History) discarded(ctx context.Context, eventID string) (list []change, tracking, busy bool, err error) {
	turns, tracking, busy, err := h.turns(ctx)
	if err != nil || busy && tracking {
		return nil, tracking, busy, err
	}
	i := slices.IndexFunc(turns, func(t userTurn) bool { return t.eventID == eventID })
	if i < 0 {
		return nil, tracking, busy, fault.New(fault.NotFound, "session.history.rewind", h.s.id, "Event %s not found: it is no message of the user", fault.Bounded(eventID))
	}
	var captures []wire.FileCapture
	for _, t := range turns[i:] {
		captures = append(captures, t.captures...)
	}
	return h.changes(captures), tracking, busy, nil
}

// PreviewRewind returns the files that a rewind to a turn would restore. [fault.NotFound] if
// the event is not the message of a turn.
func (h History) PreviewRewind(ctx context.Context, eventID string) (preview []wire.RewindFile, tracking, busy bool, err error) {
	list, tracking, busy, err := h.discarded(ctx, eventID)
	for _, k := range list {
		f := wire.RewindFile{Path: k.path, ChangeType: "modified", LinesAdded: k.linesAdded, LinesRemoved: k.linesRemoved}
		switch {
		case !k.existedBefore:
			f.ChangeType = "created"
		case !k.existsLast:
			f.ChangeType = "deleted"
		}
		preview = append(preview, f)
	}
	return preview, tracking, busy, err
}

// Rewind removes a turn and all later turns from the history. With restore it also undoes the
// changes of files that the built-in tools have made since. It does not touch a file that
// something else has changed. If restoring a file fails, the files that were already restored
// are changed back, and the history stays.
func (h History) Rewind(ctx context.Context, eventID string, restore bool) (r wire.Rewound, err error) {
	if busy, err := mailbox.Ask(ctx, h.s.change, func() (bool, error) {
		if h.working() || h.s.queue.held > 0 {
			return true, nil
		}
		h.s.queue.held++ // nothing begins meanwhile
		return false, nil
	}); busy || err != nil {
		r.Outcome = "session-busy"
		return r, err
	}
	defer func() {
		_ = h.s.post(context.Background(), func() error { h.s.queue.held--; h.s.queue.drain(); return nil })
	}()
	list, tracking, _, err := h.discarded(ctx, eventID)
	if err != nil {
		return r, err
	}
	if restore && !tracking {
		r.Outcome = "file-change-tracking-disabled"
		return r, nil
	}
	if restore && !h.restore(ctx, list, &r) {
		return r, nil
	}
	removed, err := h.Truncate(ctx, eventID)
	if err != nil {
		why := fault.Message(err)
		r.Outcome, r.Error = "truncation-failed", &why
		return r, nil
	}
	r.Outcome, r.EventsRemoved = "success", &removed
	if restore {
		h.prune(ctx, list, &r)
	}
	return r, nil
}

// restore puts files back. It reports false, with the outcome in r, if that failed.
func (h History) restore(ctx context.Context, list []change, r *wire.Rewound) bool {
	disk, undo := filesOf(h.s), map[string]version{}
	for _, k := range list {
		now, err := disk.version(k.path)
		switch {
		case !k.restorable:
			r.SkippedFiles = append(r.SkippedFiles, wire.SkippedFile{Path: k.path, Reason: "skipped-capture"})
			continue
		case err != nil || now.digest != k.after:
			r.SkippedFiles = append(r.SkippedFiles, wire.SkippedFile{Path: k.path, Reason: "user-modified"})
			continue
		}
		var old []byte
		if k.before != "" {
			old, err = disk.kept(ctx, k.before)
		}
		if err == nil {
			undo[k.path] = now
			err = disk.put(k.path, k.before != "", old, k.mode)
		}
		if err != nil {
			why := k.path + ": " + fault.Message(err)
			r.Outcome, r.Error, r.RestoredFiles = "files-rolled-back", &why, nil
			for path, v := range undo {
				if e := disk.put(path, v.digest != "", v.data, v.mode); e != nil {
					r.Outcome = "rollback-incomplete"
				}
			}
			return false
		}
		r.RestoredFiles = append(r.RestoredFiles, k.path)
	}
	return true
}

// put writes an old version of a file, or removes the file if it did not exist.
func (f files) put(path string, exists bool, data []byte, mode fs.FileMode) error {
	dir, err := f.folder(path)
	if errors.Is(err, fs.ErrNotExist) && exists {
		if err = f.s.reg.opts.FS.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			dir, err = f.folder(path)
		}
	}
	if errors.Is(err, fs.ErrNotExist) && !exists {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	name := filepath.Base(path)
	if exists {
		return vfs.WriteFileAtomic(dir, name, data, cmp.Or(mode, 0o600))
	}
	if err := dir.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// prune removes the old versions that no turn of the history needs any more.
func (h History) prune(ctx context.Context, list []change, r *wire.Rewound) {
	turns, _, _, err := h.turns(ctx)
	needed := map[string]bool{}
	for _, t := range turns {
		for _, c := range t.captures {
			needed[c.Before] = true
		}
	}
	for _, k := range list {
		for _, digest := range k.snapshots {
			if err == nil && !needed[digest] {
				needed[digest] = true // once
				if e := h.s.workspace.files.DropSnapshot(ctx, digest); e != nil && fault.KindOf(e) != fault.NotFound {
					err = e
				}
			}
		}
	}
	if err != nil {
		why := fault.Message(err)
		r.Outcome, r.Error = "snapshot-prune-failed", &why
	}
}
