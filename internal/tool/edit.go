package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/aymanbagabas/go-udiff"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/tree"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxEdited bounds a file that is edited, in bytes: it is held in memory a few
// times over.
const maxEdited = 32 << 20

var editDefinition = described{name: fact.Edit}

// edit replaces one piece of text in a file.
type edit struct{ *files }

type editArgs struct {
	Path string `json:"path"`
	Old  string `json:"old_str"`
	New  string `json:"new_str"`
}

func (edit) Definition() Definition { return editDefinition.Get() }

// Request asks to write, with the change as a diff. An edit that cannot succeed asks only
// to read, because its answer will show lines of the file.
func (t edit) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[editArgs](c)
	if bad != nil {
		return nil, bad
	}
	if bad := unreachable(t.w, args.Path); bad != nil {
		return nil, bad
	}
	q, bad := readRequest(t.w, c, args.Path, "Edit file: ")
	if bad != nil {
		return nil, bad
	}
	if change, err := plan(q.Path, args); err == nil {
		name := shown(t.w, q.Path.Name)
		q.Kind, q.Diff = permit.Write, udiff.Unified("a/"+name, "b/"+name, change.old, change.new)
	}
	return q, nil
}

func (t edit) Run(ctx context.Context, c Call) Result {
	args, bad := decode[editArgs](c)
	if bad != nil {
		return *bad
	}
	at, bad := permitted(t.w, c, args.Path)
	switch {
	case bad != nil:
		return *bad
	case ctx.Err() != nil:
		return interrupted()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	change, err := plan(at, args)
	switch {
	case err != nil:
		return failure("%v", err)
	case c.Permitted.Kind != permit.Write:
		return failure("%s changed while permission was asked for: old_str occurs once now. Nothing was written; call edit again.", at.Name)
	}
	if err := replaceFile(at.Real, change.new, change.info); err != nil {
		return failure("The file is as it was. %s", unwritten(err, at.Name))
	}
	name := shown(t.w, at.Name)
	r := success(fmt.Sprintf("File %s updated with changes.", at.Name))
	r.Edits = []wire.FileEdit{{Kind: "edit", Path: at.Real}}
	r.Detail = udiff.Unified("a/"+name, "b/"+name, change.old, change.new)
	return t.looked(r, at.Real, fact.Edit)
}

// change is the text of a file before and after, and its state when it was read.
type change struct {
	old, new string
	info     fs.FileInfo
}

// plan reads the file and returns the change. The error is a text for the model, and may
// show lines of the file.
func plan(at permit.Path, args editArgs) (change, error) {
	switch {
	case args.Old == "":
		return change{}, errors.New("old_str is empty; give the text to replace. To write a new file use create")
	case args.Old == args.New:
		return change{}, errors.New("old_str and new_str are the same; there is nothing to change")
	}
	f, info, err := tree.OpenFile(at.Real)
	if err != nil {
		return change{}, errors.New(about(err, at.Name))
	}
	defer f.Close()
	switch {
	case info.Size() > maxEdited:
		return change{}, fmt.Errorf("%s has %d bytes; edit takes files of up to %d. Use a shell command such as sed", at.Name, info.Size(), maxEdited)
	case info.Mode().Perm()&0o222 == 0:
		return change{}, fmt.Errorf("%s is read-only (mode %v); it was left as it is", at.Name, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxEdited))
	if err != nil {
		return change{}, errors.New(about(err, at.Name))
	}
	text := string(data)
	edited, err := replace(text, args.Old, args.New)
	if err != nil {
		return change{}, fmt.Errorf("%s: %w", at.Name, err)
	}
	return change{old: text, new: edited, info: info}, nil
}
