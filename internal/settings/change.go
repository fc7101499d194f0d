package settings

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Editor changes settings files.
type Editor struct {
	Place
	// Lock is a file that keeps changes of several processes apart; it is made if necessary.
	Lock string
}

// Set sets one value of the user's file, or of the project's, and keeps comments and the order of
// the rest. The file and its folder are made if necessary. check refuses the file as it would be;
// nothing is written then. It returns the path of the file.
func (e Editor) Set(ctx context.Context, project bool, k config.Key, value json.RawMessage, check func(config.File) error) (path string, err error) {
	return e.change(ctx, project, check, func(text []byte) ([]byte, error) {
		return jsonc.Set(text, value, strings.Split(k.Name, ".")...)
	})
}

// Unset removes one value. [fault.NotFound] if the file does not have it.
func (e Editor) Unset(ctx context.Context, project bool, k config.Key) (path string, err error) {
	return e.change(ctx, project, func(config.File) error { return nil }, func(text []byte) ([]byte, error) {
		if len(text) == 0 {
			return text, nil
		}
		return jsonc.Remove(text, strings.Split(k.Name, ".")...)
	})
}

// change replaces the text of a file by what f makes of it, if that is a valid file. The error is
// [fault.NotFound] if f changes nothing and there is nothing to keep.
func (e Editor) change(ctx context.Context, project bool, check func(config.File) error, f func([]byte) ([]byte, error)) (path string, err error) {
	path = e.User
	if project {
		path = e.ProjectPath()
	}
	if path == "" {
		return "", fault.New(fault.NotFound, op, "", "there is no folder for the file")
	}
	if err := vfs.MkdirAllSync(e.FS, filepath.Dir(e.Lock), 0o700); err != nil {
		return path, vfs.Failure(op, e.Lock, err)
	}
	lock, err := vfs.Lock(ctx, e.FS, e.Lock)
	if err != nil {
		return path, vfs.Failure(op, e.Lock, err)
	}
	defer func() { _ = lock.Close() }() // nothing was written to it
	now, err := e.text(project)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return path, failure(path, err)
	}
	if _, err := config.ParseFile(path, now); err != nil { // a change could make it worse
		return path, err
	}
	next, err := f(now)
	if err != nil {
		return path, failure(path, err)
	}
	if string(next) == string(now) {
		return path, fault.New(fault.NotFound, op, path, "nothing changes")
	}
	parsed, err := config.ParseFile(path, next)
	if err == nil {
		parsed.Project = project
		err = check(parsed)
	}
	if err != nil {
		return path, unwritten(path, err)
	}
	return path, e.write(path, project, next)
}

// unwritten is why a text is not written to a file. Its lines are not those of the file as it is.
func unwritten(path string, err error) error {
	place := regexp.MustCompile(`(file )?` + regexp.QuoteMeta(path) + `:\d+(:\d+)?: `)
	text := err.Error()
	at := place.FindStringIndex(text)
	if at == nil {
		return err
	}
	text = strings.ReplaceAll(text[at[1]:], " ("+config.EditHint+")", "")
	return &fault.Error{Op: op, Kind: fault.Invalid, Err: errors.New(text), Hint: path + " stays as it is"}
}

// Create makes the user's file, or the project's, with a text if there is none. It returns the path.
func (e Editor) Create(project bool, text []byte) (path string, err error) {
	if path = e.User; project {
		path = e.ProjectPath()
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	return path, e.write(path, project, text)
}

// text returns the text of a file.
func (e Editor) text(project bool) ([]byte, error) {
	if !project {
		return e.readUser()
	}
	folder, found := e.ProjectFolder()
	if !found {
		return nil, fs.ErrNotExist
	}
	return e.readProject(folder)
}

// write replaces a file. One that is a link stays one, as programs that keep such files in a
// repository make them: the file that it leads to is replaced. The user's own file is readable for
// the user only, and one that exists keeps its mode.
func (e Editor) write(path string, project bool, text []byte) error {
	folder, file := fs.FileMode(0o700), fs.FileMode(0o600)
	if project {
		folder, file = 0o755, 0o644
	}
	if err := vfs.MkdirAllSync(e.FS, filepath.Dir(path), folder); err != nil {
		return vfs.Failure(op, path, err)
	}
	if at, err := filepath.EvalSymlinks(filepath.Dir(path)); project && (err != nil || at != filepath.Join(resolved(filepath.Dir(filepath.Dir(path))), filepath.Dir(inProject))) {
		return fault.New(fault.Invalid, op, path, "its folder is a link, which could lead anywhere")
	}
	if info, err := e.FS.Stat(path); err == nil {
		file = info.Mode().Perm()
		path = resolved(path)
	} else if _, err := os.Lstat(path); err == nil {
		return fault.New(fault.Invalid, op, path, "it is a link that leads nowhere")
	}
	if err := vfs.WriteFileAtomic(e.FS, path, text, file); err != nil {
		return vfs.Failure(op, path, err)
	}
	return nil
}

// resolved is a path without links, or the path itself if that is not known.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
