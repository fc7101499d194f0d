package rewind

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Points lists the turns to which the session can be rewound. tracking reports whether
// the session has kept old versions of files since its first turn. busy reports that a run is
// in progress; a session with tracking then has no points.
func (f *Files) Points(ctx context.Context) (points []wire.RewindPoint, tracking, busy bool, err error) {
	turns, tracking, busy, err := f.turns(ctx)
	var later []wire.FileCapture
	for _, t := range slices.Backward(turns) {
		later = append(slices.Clone(t.captures), later...)
		all := f.changes(later)
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
func (f *Files) discarded(ctx context.Context, eventID string) (list []change, tracking, busy bool, err error) {
	turns, tracking, busy, err := f.turns(ctx)
	if err != nil || busy && tracking {
		return nil, tracking, busy, err
	}
	i := slices.IndexFunc(turns, func(t userTurn) bool { return t.eventID == eventID })
	if i < 0 {
		return nil, tracking, busy, fault.New(fault.NotFound, "session.history.rewind", f.o.ID, "Event %s not found: it is not a message of the user", fault.Bounded(eventID))
	}
	var captures []wire.FileCapture
	for _, t := range turns[i:] {
		captures = append(captures, t.captures...)
	}
	return f.changes(captures), tracking, busy, nil
}

// Preview returns the files that a rewind to a turn would restore. [fault.NotFound] if
// the event is not the message of a turn.
func (f *Files) Preview(ctx context.Context, eventID string) (preview []wire.RewindFile, tracking, busy bool, err error) {
	list, tracking, busy, err := f.discarded(ctx, eventID)
	for _, k := range list {
		file := wire.RewindFile{Path: k.path, ChangeType: "modified", LinesAdded: k.linesAdded, LinesRemoved: k.linesRemoved}
		switch {
		case !k.existedBefore:
			file.ChangeType = "created"
		case !k.existsLast:
			file.ChangeType = "deleted"
		}
		preview = append(preview, file)
	}
	return preview, tracking, busy, err
}

// Rewind removes a turn and all later turns from the history. With restore it also undoes the
// changes of files that the built-in tools have made since. It does not touch a file that
// something else has changed. If restoring a file fails, the files that were already restored
// are changed back, and the history stays.
func (f *Files) Rewind(ctx context.Context, eventID string, restore bool) (r wire.Rewound, err error) {
	if held, err := f.s.Hold(ctx); !held || err != nil {
		r.Outcome = "session-busy"
		return r, err
	}
	defer f.s.Release()
	list, tracking, _, err := f.discarded(ctx, eventID)
	if err != nil {
		return r, err
	}
	if restore && !tracking {
		r.Outcome = "file-change-tracking-disabled"
		return r, nil
	}
	if restore && !f.restore(ctx, list, &r) {
		return r, nil
	}
	removed, err := f.s.Truncate(ctx, eventID)
	if err != nil {
		why := fault.Message(err)
		r.Outcome, r.Error = "truncation-failed", &why
		return r, nil
	}
	r.Outcome, r.EventsRemoved = "success", &removed
	if restore {
		f.prune(ctx, list, &r)
	}
	return r, nil
}

// restore puts files back. It reports false, with the outcome in r, if that failed.
func (f *Files) restore(ctx context.Context, list []change, r *wire.Rewound) bool {
	undo := map[string]version{}
	for _, k := range list {
		now, err := f.version(k.path)
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
			old, err = f.kept(ctx, k.before)
		}
		if err == nil {
			undo[k.path] = now
			err = f.put(k.path, k.before != "", old, k.mode)
		}
		if err != nil {
			why := k.path + ": " + fault.Message(err)
			r.Outcome, r.Error, r.RestoredFiles = "files-rolled-back", &why, nil
			for path, v := range undo {
				if e := f.put(path, v.digest != "", v.data, v.mode); e != nil {
					r.Outcome = "rollback-incomplete"
				}
			}
			return false
		}
		r.RestoredFiles = append(r.RestoredFiles, k.path)
	}
	return true
}

// prune removes the old versions that no turn of the history needs any more.
func (f *Files) prune(ctx context.Context, list []change, r *wire.Rewound) {
	turns, _, _, err := f.turns(ctx)
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
				if e := f.o.Kept.DropSnapshot(ctx, digest); e != nil && fault.KindOf(e) != fault.NotFound {
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
