package rewind

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// gitReader reads what has changed in a repository. It runs git without hooks, without
// programs that the repository names, and without writing anything.
type gitReader struct {
	f           *Files
	at          Project
	ignoreSpace bool
}

// gitSafely is git as it may run in any repository.
const gitSafely = "git --no-optional-locks --no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.quotePath=false -c diff.external= "

// allowed returns why git may not run here: settings of the repository make it run programs,
// or it is not known what it would do.
func (g gitReader) allowed(ctx context.Context) error {
	asker, ok := g.at.Shell.(tool.Asker)
	if !ok {
		return fault.New(fault.Unavailable, opDiff, g.f.o.ID, "there is no shell on this system")
	}
	q, refused := asker.Request(ctx, tool.Call{Name: g.at.Shell.Definition().Name, Arguments: json.RawMessage(`{"command":"git diff HEAD","description":"A command of the user"}`)})
	if refused != nil {
		return fault.New(fault.Unavailable, opDiff, g.f.o.ID, "%s", refused.Text)
	}
	if why := q.Command.Unclear; why != "" {
		return fault.New(fault.Denied, opDiff, g.f.o.ID, "git is not run in this repository: %s", why)
	}
	if !slices.ContainsFunc(q.Command.Programs, func(p permit.Program) bool { return p.ReadOnly }) {
		return fault.New(fault.Denied, opDiff, g.f.o.ID, "git is not run in this repository: its settings make it run programs")
	}
	return nil
}

// git runs git and returns its output; "" if it failed.
func (g gitReader) git(ctx context.Context, args string) (string, error) {
	out, err := g.f.o.RunScript(ctx, shell.Script{Text: gitSafely + args, Dir: g.at.Cwd, Drop: g.f.o.Secrets, Env: map[string]string{"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}})
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
	root := g.f.o.Resolve(g.at.GitRoot)
	for i, name := range strings.Split(strings.TrimSuffix(untracked, "\x00"), "\x00") {
		if name == "" || i >= maxUntracked {
			break
		}
		change := wire.FileChange{Path: name, ChangeType: "added"}
		if v, err := g.f.version(filepath.Join(root, name)); err != nil {
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
