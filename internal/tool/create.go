package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf16"

	"github.com/aymanbagabas/go-udiff"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/tree"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

var createDefinition = described{name: fact.Create}

// create writes a file that does not exist.
type create struct{ *files }

type createArgs struct {
	Path string `json:"path"`
	Text string `json:"file_text"`
}

func (create) Definition() Definition { return createDefinition.Get() }

// Request asks to write. If the path exists already, it asks only to read, because the
// answer will say so.
func (t create) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[createArgs](c)
	if bad != nil {
		return nil, bad
	}
	if bad := unreachable(t.w, args.Path); bad != nil {
		return nil, bad
	}
	q, bad := readRequest(t.w, c, args.Path, "Create file: ")
	if bad != nil {
		return nil, bad
	}
	if _, err := os.Lstat(q.Path.Real); !tree.Absent(err) {
		return q, nil
	}
	q.Kind, q.Contents = permit.Write, &args.Text
	q.Diff = udiff.Unified("/dev/null", "b/"+shown(t.w, q.Path.Name), "", args.Text)
	return q, nil
}

func (t create) Run(ctx context.Context, c Call) Result {
	args, bad := decode[createArgs](c)
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
	if c.Permitted.Kind != permit.Write {
		return occupied(at)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch err := createFile(at.Real, args.Text); {
	case errors.Is(err, fs.ErrExist):
		return occupied(at)
	case err != nil:
		return failure("Nothing was created. %s", unwritten(err, at.Name))
	}
	r := success(fmt.Sprintf("Created file %s with %d characters", at.Name, characters(args.Text)))
	r.Detail, r.Edits = c.Permitted.Diff, []wire.FileEdit{{Kind: "create", Path: at.Real}}
	return t.looked(r, at.Real, fact.Create)
}

// occupied says what exists at the path, if it still does.
func occupied(at permit.Path) Result {
	info, err := os.Lstat(at.Real)
	switch {
	case err != nil:
		return failure("%s was there when permission was asked for and is gone now; nothing was created. Call create again.", at.Name)
	case info.IsDir():
		return failure("%s is a folder; nothing was created. Choose another path.", at.Name)
	}
	return failure("%s exists already; nothing was written. Use view to read it and edit to change it, or choose another path.", at.Name)
}

// unwritten is [about] for writing, where a missing path is a folder that cannot be
// created.
func unwritten(err error, path string) string {
	if tree.Absent(err) {
		return path + ": a part of the path is a file, not a folder, or was removed just now"
	}
	return about(err, path)
}

// characters counts UTF-16 units, as programs in JavaScript do. The protocol does not say
// which unit is meant; recordings have only ASCII.
func characters(s string) int {
	return len(utf16.Encode([]rune(strings.ToValidUTF8(s, "\ufffd"))))
}
