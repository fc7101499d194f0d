package session

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
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
func (h History) Diff(ctx context.Context, mode wire.DiffMode, ignoreSpace bool) (wire.WorkspaceDiff, error) {
	d := wire.WorkspaceDiff{RequestedMode: mode, Mode: mode}
	switch mode {
	case "session":
		done, err := h.sessionDiff(ctx, &d)
		if done || err != nil {
			return d, err
		}
	case "unstaged", "branch":
	default:
		return d, fault.New(fault.Invalid, opDiff, h.s.id, `mode is %q, want "unstaged", "branch" or "session"`, mode)
	}
	type place struct {
		cwd, root string
		shell     tool.Tool
	}
	at, err := mailbox.Ask(ctx, h.s.do, func() (place, error) {
		p := place{cwd: h.s.state.Cwd, root: h.s.state.GitRoot}
		if p.root != "" {
			p.shell = h.s.tools.shell()
		}
		return p, nil
	})
	if err != nil || at.root == "" {
		d.Mode, d.IsFallback = "unstaged", mode != "unstaged"
		return d, err
	}
	g := gitReader{h.s, at.cwd, at.root, ignoreSpace}
	if err := g.allowed(ctx, at.shell); err != nil {
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
func (h History) sessionDiff(ctx context.Context, d *wire.WorkspaceDiff) (done bool, err error) {
	turns, tracking, busy, err := h.turns(ctx)
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
	root := *h.s.at.Load()
	disk := filesOf(h.s)
	for _, k := range h.changes(captures) {
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
			before, err = disk.kept(ctx, k.before)
		}
		now, failed := disk.version(k.path)
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

// gitReader reads what has changed in a repository. It runs git without hooks, without
// programs that the repository names, and without writing anything.
type gitReader struct {
	s           *Session
	cwd, root   string
	ignoreSpace bool
}

// gitSafely is git as it may run in any repository.
const gitSafely = "git --no-optional-locks --no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.quotePath=false -c diff.external= "

// allowed returns why git may not run here: settings of the repository make it run programs,
// or it is not known what it would do.
func (g gitReader) allowed(ctx context.Context, t tool.Tool) error {
	asker, ok := t.(tool.Asker)
	if !ok {
		return fault.New(fault.Unavailable, opDiff, g.s.id, "there is no shell on this system")
	}
	q, refused := asker.Request(ctx, tool.Call{Name: shellTool, Arguments: commandArgs("git diff HEAD")})
	if refused != nil {
		return fault.New(fault.Unavailable, opDiff, g.s.id, "%s", refused.Text)
	}
	if why := q.Command.Unclear; why != "" {
		return fault.New(fault.Denied, opDiff, g.s.id, "git is not run in this repository: %s", why)
	}
	if !slices.ContainsFunc(q.Command.Programs, func(p permit.Program) bool { return p.ReadOnly }) {
		return fault.New(fault.Denied, opDiff, g.s.id, "git is not run in this repository: its settings make it run programs")
	}
	return nil
}

// git runs git and returns its output; "" if it failed.
func (g gitReader) git(ctx context.Context, args string) (string, error) {
	out, err := g.s.reg.opts.RunScript(ctx, shell.Script{Text: gitSafely + args, Dir: g.cwd, Drop: g.s.reg.opts.Secrets, Env: map[string]string{"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}})
	if err != nil || out.Code != 0 {
		return "", err
	}
	return string(out.Output), nil
}

// base returns the commit where the branch left the default branch, and that branch's name;
// "" if there is none.
func (g gitReader) base(ctx context.Context) (commit string, branch *string) {
	name, _ := g.git(ctx, "symbolic-ref -q --short refs/remotes/origin/HEAD") // "" is no remote
	for _, candidate := range []string{strings.TrimSpace(name), "main", "master"} {
		if candidate == "" || strings.ContainsAny(candidate, "'\\ \n") || strings.HasPrefix(candidate, "-") {
			continue
		}
		if commit, err := g.git(ctx, "merge-base HEAD '"+candidate+"'"); err == nil && commit != "" {
			return strings.TrimSpace(commit), &candidate
		}
	}
	return "", nil
}

// changes are the changes since a commit, and the untracked files.
func (g gitReader) changes(ctx context.Context, base string) (list []wire.FileChange, err error) {
	flags := "--no-ext-diff --no-textconv --no-color --find-renames "
	if g.ignoreSpace {
		flags += "--ignore-all-space "
	}
	names, err := g.git(ctx, "diff "+flags+"--name-status -z "+base)
	if err != nil {
		return nil, err
	}
	text, err := g.git(ctx, "diff "+flags+base)
	if err != nil {
		return nil, err
	}
	list = changedFiles(names)
	diffs := splitDiffs(text)
	for i := range list {
		if len(diffs) == len(list) {
			limitDiff(&list[i], diffs[i])
		} else { // without spaces, a file may have no diff
			j := slices.IndexFunc(diffs, func(d string) bool { return strings.Contains(d, "b/"+list[i].Path+"\n") })
			if j >= 0 {
				limitDiff(&list[i], diffs[j])
			}
		}
	}
	untracked, err := g.git(ctx, "ls-files --others --exclude-standard --full-name -z")
	if err != nil {
		return nil, err
	}
	root := g.s.reg.opts.Resolve(g.root)
	for i, name := range strings.Split(strings.TrimSuffix(untracked, "\x00"), "\x00") {
		if name == "" || i >= maxUntracked {
			break
		}
		change := wire.FileChange{Path: name, ChangeType: "added"}
		if v, err := filesOf(g.s).version(filepath.Join(root, name)); err != nil {
			change.IsTruncated = new(true)
		} else {
			setDiff(&change, nil, v.data)
		}
		list = append(list, change)
	}
	return list, nil
}

// changedFiles reads the output of git diff --name-status -z.
func changedFiles(names string) (list []wire.FileChange) {
	fields := strings.Split(strings.TrimSuffix(names, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); {
		change := wire.FileChange{ChangeType: "modified", Path: fields[i+1]}
		switch status := fields[i]; {
		case strings.HasPrefix(status, "A"):
			change.ChangeType = "added"
		case strings.HasPrefix(status, "D"):
			change.ChangeType = "deleted"
		case (strings.HasPrefix(status, "R") || strings.HasPrefix(status, "C")) && i+2 < len(fields):
			old := fields[i+1]
			change.ChangeType, change.OldPath, change.Path = "renamed", &old, fields[i+2]
			i++
		}
		list = append(list, change)
		i += 2
	}
	return list
}

// splitDiffs splits the output of git diff into the diffs of its files.
func splitDiffs(text string) (diffs []string) {
	const begin = "diff --git "
	for text != "" {
		next := strings.Index(text[1:], "\n"+begin)
		if next < 0 {
			return append(diffs, text)
		}
		diffs, text = append(diffs, text[:next+2]), text[next+2:]
	}
	return diffs
}
