package tool

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/tree"
)

const (
	// maxEntries bounds the names shown of one folder.
	maxEntries = 2000
	// maxListed bounds the names read of one folder, so that a folder of millions
	// costs a bounded amount of memory.
	maxListed = 100_000
)

var viewDefinition = described{name: fact.View}

// view shows a file, an image or a folder.
type view struct{ w Workspace }

type viewArgs struct {
	Path  string `json:"path"`
	Range []int  `json:"view_range"`
}

func (view) Definition() Definition { return viewDefinition.Get() }

func (v view) Request(_ context.Context, c Call) (*permit.Request, *Result) {
	args, bad := decode[viewArgs](c)
	if bad != nil {
		return nil, bad
	}
	return readRequest(v.w, c, args.Path, "View file: ")
}

// readRequest asks to read one path.
func readRequest(w Workspace, c Call, path, intention string) (*permit.Request, *Result) {
	at, err := locate(w, path)
	if err != nil {
		r := failure("%v", err)
		return nil, &r
	}
	return &permit.Request{Kind: permit.Read, Tool: c.Name, Intention: intention + at.Name, Path: at}, nil
}

func (v view) Run(ctx context.Context, c Call) Result {
	args, bad := decode[viewArgs](c)
	if bad != nil {
		return *bad
	}
	at, bad := permitted(v.w, c, args.Path)
	if bad != nil {
		return *bad
	}
	if stored := v.w.Stored(args.Path); stored != nil {
		return stored.view(ctx, at.Name, args.Range)
	}
	info, err := os.Lstat(at.Real)
	switch {
	case err != nil:
		return failure("%s", reason(err, at.Name))
	case info.IsDir():
		return viewFolder(at, args.Range)
	}
	f, info, err := tree.OpenFile(at.Real)
	if err != nil {
		return failure("%s", about(err, at.Name))
	}
	defer f.Close()
	return viewFile(ctx, f, info.Size(), at.Name, args.Range)
}

// about adds the path to an error that does not name it.
func about(err error, path string) string {
	if text := reason(err, path); text != err.Error() {
		return text
	}
	return path + ": " + err.Error()
}

func viewFolder(at permit.Path, span []int) Result {
	if span != nil {
		return failure("%s is a folder; view_range is for files. Call view without it.", at.Name)
	}
	names, more, err := list(at.Real)
	switch {
	case err != nil:
		return failure("%s", about(err, at.Name))
	case len(names) == 0:
		return success("The folder " + at.Name + " is empty.")
	}
	total := len(names)
	text := strings.Join(names[:min(total, maxEntries)], "\n")
	switch {
	case more:
		text += noted("More than %d names are here; %d are shown. Use glob with a pattern to find what you need.", maxListed, maxEntries)
	case total > maxEntries:
		text += noted("%d of %d names are shown. Use glob with a pattern to find what you need.", maxEntries, total)
	}
	return success(text)
}

// list returns the names in a resolved folder, sorted, folders with a slash at
// their end; more says that there are others.
func list(real string) (names []string, more bool, err error) {
	dir, err := tree.OpenDir(real)
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	f, err := dir.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxListed + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	for _, e := range entries[:min(len(entries), maxListed)] {
		names = append(names, entryName(e))
	}
	slices.Sort(names)
	return names, len(entries) > maxListed, nil
}

func entryName(e fs.DirEntry) string {
	if e.IsDir() {
		return e.Name() + string(filepath.Separator)
	}
	return e.Name()
}
