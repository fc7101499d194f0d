package rewind

import (
	"context"
	"path/filepath"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const opDiff = "session.workspaces.diff"

const (
	// maxFileDiff bounds the diff of one file, in bytes; a longer one is left out.
	maxFileDiff = 256 << 10
	// maxUntracked bounds the untracked files in a diff.
	maxUntracked = 1000
)

// Diff returns what has changed in the files of the project: in mode "unstaged" against the
// last commit, in mode "branch" against the default branch, and in mode "session" what the
// built-in tools have changed in the session. If a mode is not possible, the result is that of
// "unstaged", and says so. Without a git repository nothing has changed.
func (f *Files) Diff(ctx context.Context, mode wire.DiffMode, ignoreSpace bool) (wire.WorkspaceDiff, error) {
	d := wire.WorkspaceDiff{RequestedMode: mode, Mode: mode}
	switch mode {
	case "session":
		done, err := f.sessionDiff(ctx, &d)
		if done || err != nil {
			return d, err
		}
	case "unstaged", "branch":
	default:
		return d, fault.New(fault.Invalid, opDiff, f.o.ID, `mode is %q, want "unstaged", "branch" or "session"`, mode)
	}
	at, err := f.s.Project(ctx)
	if err != nil || at.GitRoot == "" {
		d.Mode, d.IsFallback = "unstaged", mode != "unstaged"
		return d, err
	}
	g := gitReader{f, at, ignoreSpace}
	if err := g.allowed(ctx); err != nil {
		return d, err
	}
	base := "HEAD"
	if mode == "branch" {
		base, d.BaseBranch = g.base(ctx)
	}
	if mode != "unstaged" && (mode != "branch" || base == "") {
		d.Mode, d.IsFallback, base = "unstaged", true, "HEAD"
	}
	d.Changes, err = g.changes(ctx, base)
	return d, err
}

// sessionDiff fills in what the built-in tools have changed. done is false if that is not
// known.
func (f *Files) sessionDiff(ctx context.Context, d *wire.WorkspaceDiff) (done bool, err error) {
	turns, tracking, busy, err := f.turns(ctx)
	if err != nil {
		return false, err
	}
	if !tracking || busy {
		why := wire.RewindUnavailable("session-busy")
		if !tracking {
			why = "file-change-tracking-disabled"
		}
		d.UnavailableReason = &why
		return false, nil
	}
	var captures []wire.FileCapture
	for _, t := range turns {
		captures = append(captures, t.captures...)
	}
	root := f.s.Cwd()
	for _, k := range f.changes(captures) {
		change := wire.FileChange{Path: k.path, ChangeType: "modified"}
		if rel, err := filepath.Rel(root, k.path); err == nil {
			change.Path = filepath.ToSlash(rel)
		}
		switch {
		case !k.existedBefore:
			change.ChangeType = "added"
		case !k.existsLast:
			change.ChangeType = "deleted"
		}
		var before []byte
		if k.before != "" {
			before, err = f.kept(ctx, k.before)
		}
		now, failed := f.version(k.path)
		if err != nil || failed != nil || k.uncaptured {
			change.IsTruncated = new(true)
		} else {
			setDiff(&change, before, now.data)
		}
		d.Changes = append(d.Changes, change)
	}
	return true, nil
}

// setDiff fills in the diff of two versions of a file, unless it is too long or no text.
func setDiff(change *wire.FileChange, before, after []byte) {
	if !utf8.Valid(before) || !utf8.Valid(after) || len(before)+len(after) > maxSnapshot {
		change.IsTruncated = new(true)
		return
	}
	diff, _, _ := tool.Changes(change.Path, string(before), string(after))
	limitDiff(change, diff)
}

func limitDiff(change *wire.FileChange, diff string) {
	if len(diff) > maxFileDiff {
		change.IsTruncated = new(true)
		return
	}
	change.Diff = diff
}
