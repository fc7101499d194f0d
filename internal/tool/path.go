package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// maxLinks bounds the symbolic links on one path, as Linux does.
const maxLinks = 40

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
	real, err := resolve(path)
	if err != nil {
		return permit.Path{}, errors.New(reason(err, path))
	}
	return permit.Path{Name: path, Real: real}, nil
}

// resolve returns an absolute clean path with every symbolic link on the way
// followed, also that of the last name. Names that do not exist are kept: the result for
// a dangling link is where it points. A loop of links is an error.
func resolve(path string) (string, error) {
	volume := filepath.VolumeName(path)
	top := volume + string(filepath.Separator)
	done, todo := top, strings.TrimPrefix(path[len(volume):], string(filepath.Separator))
	for links := 0; todo != ""; {
		name, rest, _ := strings.Cut(todo, string(filepath.Separator))
		next := filepath.Join(done, name) // a ".." out of a link's target goes up here
		info, err := os.Lstat(next)
		switch {
		case err != nil && !absent(err):
			return "", err
		case err != nil || info.Mode()&fs.ModeSymlink == 0:
			done, todo = next, rest
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: too many symbolic links", path)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			done = filepath.VolumeName(target) + string(filepath.Separator)
			target = strings.TrimPrefix(target, done)
		}
		todo = strings.TrimPrefix(filepath.Join(target, rest), string(filepath.Separator))
		if todo == "." {
			todo = ""
		}
	}
	return done, nil
}

// absent reports that there is nothing at a path, which may be because a part of it is
// a file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
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
	case absent(err):
		return missing(path)
	case errors.Is(err, fs.ErrPermission):
		return path + ": the operating system does not allow it (permission denied)"
	case errors.As(err, &p):
		return path + ": " + p.Err.Error()
	}
	return err.Error()
}

// missing is what the model reads about a path that does not exist.
// Source: docs/tools.md, "Fixed texts".
func missing(path string) string {
	return "Path " + path + " does not exist. Please provide a valid path."
}
