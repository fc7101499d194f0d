package tool

import (
	"bytes"
	"context"
	"path"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tree"
)

// maxStored bounds a file in the storage of a client that is viewed, in bytes: it is held in
// memory.
const maxStored = 64 << 20

// locateStored is [locate] for a file in the storage of a client. Rules take it for the file of
// that name in the session's own folder, which it would be if no client kept the session.
func locateStored(w Workspace, name string, f *Stored) (permit.Path, error) {
	real, err := tree.Resolve(filepath.Join(w.Dir(), filepath.FromSlash(f.Name)))
	return permit.Path{Name: path.Clean(name), Real: real}, err
}

// unreachable refuses what only works on files of this machine.
func unreachable(w Workspace, name string) *Result {
	if w.Stored(name) == nil {
		return nil
	}
	r := failure("%s is in the storage of the client that keeps this session, where only view and grep can read single files, and nothing can be changed.", name)
	return &r
}

// view shows a file in the storage of a client.
func (f *Stored) view(ctx context.Context, name string, span []int) Result {
	data, err := f.Read(ctx, maxStored)
	switch {
	case ctx.Err() != nil:
		return interrupted()
	case err != nil:
		return failure("%s", about(err, name))
	}
	return viewFile(ctx, bytes.NewReader(data), int64(len(data)), name, span)
}
