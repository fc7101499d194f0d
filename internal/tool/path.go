package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tree"
)

// locate makes an absolute path of the path of a call, which may be relative to the
// working directory. It expands neither ~ nor variables.
func locate(w Workspace, path string) (permit.Path, error) {
	switch {
	case path == "":
		return permit.Path{}, errors.New("the path is empty; give the path of a file or folder")
	case path == "~" || strings.HasPrefix(path, "~/"):
		return permit.Path{}, fmt.Errorf("%q: ~ is not expanded; give an absolute path", path)
	case strings.ContainsRune(path, 0):
		return permit.Path{}, fmt.Errorf("%q: a path cannot hold a NUL character", path)
	}
	if f := w.Stored(path); f != nil {
		return locateStored(w, path, f)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Cwd(), path)
	}
	path = filepath.Clean(path)
	real, err := tree.Resolve(path)
	if err != nil {
		return permit.Path{}, errors.New(reason(err, path))
	}
	return permit.Path{Name: path, Real: real}, nil
}

// shown is a path as diffs have it: with slashes, and relative to the working directory
// if it is inside.
func shown(w Workspace, path string) string {
	if rel, err := filepath.Rel(w.Cwd(), path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return strings.TrimPrefix(filepath.ToSlash(path), "/")
}

// reason describes an error of the system about a path.
func reason(err error, path string) string {
	var p *fs.PathError
	switch {
	case tree.Absent(err):
		return missing(path)
	case errors.Is(err, fs.ErrPermission):
		return path + ": the operating system does not allow it (permission denied)"
	case errors.As(err, &p):
		return path + ": " + p.Err.Error()
	}
	return err.Error()
}

// missing is what the model reads about a path that does not exist.
// Recorded conversations have this text, to the letter.
func missing(path string) string {
	return "Path " + path + " does not exist. Please provide a valid path."
}
