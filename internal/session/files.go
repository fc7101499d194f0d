package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// filesFolder holds what clients and the model keep with the session: the workspace
// files directory. Nothing that a client names can lead out of it.
const filesFolder = "files"

const (
	// maxFile bounds one file that is read or written by call, in bytes: a fraction
	// of the longest message that JSON-RPC carries here.
	maxFile = 10 << 20
	// maxFilePath bounds its name, in bytes.
	maxFilePath = 1024
	// maxListed bounds a list of files: people look at it.
	maxListed = 10_000
)

// Files lists the regular files in the workspace files directory, ordered by name,
// with slashes; of more than 10,000 the first.
func (s *Session) Files() (names []string, err error) {
	err = s.inFolder(filesFolder, func(dir vfs.Rooted) error { return walk(dir, ".", &names) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, s.onFile("session.workspaces.listFiles", "the workspace files directory", err)
}

// walk adds the files below a directory. Links are not followed.
func walk(dir vfs.Rooted, at string, names *[]string) error {
	entries, err := dir.ReadDir(at)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(at, e.Name())
		switch {
		case len(*names) >= maxListed:
			return nil
		case e.Type().IsRegular():
			*names = append(*names, filepath.ToSlash(name))
		case e.IsDir() && len(name) <= maxFilePath:
			err := walk(dir, name, names)
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may have been removed meanwhile
				return err
			}
		}
	}
	return nil
}

// ReadFile returns the text of a file in the workspace files directory.
// [fault.NotFound] if it is not there; [fault.Invalid] if its name leads out, or it
// is no text or longer than 10 MiB.
func (s *Session) ReadFile(name string) (text string, err error) {
	const op = "session.workspaces.readFile"
	local, err := fileName(name)
	if err != nil {
		return "", fault.New(fault.Invalid, op, s.id, "%w", err)
	}
	err = s.inFolder(filesFolder, func(dir vfs.Rooted) error {
		data, err := readText(dir, local, maxFile)
		text = string(data)
		return err
	})
	return text, s.onFile(op, describeFile(name), err)
}

// CreateFile writes a file in the workspace files directory, whole, with the
// directories that its name needs. It is on disk before its event is recorded.
// Errors are as those of [Session.ReadFile].
func (s *Session) CreateFile(ctx context.Context, name, text string) error {
	const op = "session.workspaces.createFile"
	local, err := fileName(name)
	if err == nil {
		err = checkText([]byte(text), maxFile)
	}
	if err != nil {
		return fault.New(fault.Invalid, op, s.id, "%w", err)
	}
	return s.do(ctx, func() error { return s.writeFile(op, local, text) })
}

func (s *Session) writeFile(op, name, text string) error {
	operation := wire.FileOperation("create")
	err := vfs.MkdirAllSync(s.reg.opts.FS, filepath.Join(s.dir, filesFolder), 0o700)
	if err == nil {
		err = s.inFolder(filesFolder, func(dir vfs.Rooted) error {
			if info, err := dir.Stat(name); err == nil {
				operation = "update"
				if info.IsDir() {
					return errors.New("it is a directory")
				}
			}
			if parent := filepath.Dir(name); parent != "." {
				if err := vfs.MkdirAllSync(dir, parent, 0o700); err != nil {
					return err
				}
			}
			return vfs.WriteFileAtomic(dir, name, []byte(text), 0o600)
		})
	}
	if err != nil {
		return s.onFile(op, describeFile(name), err)
	}
	return s.record(&wire.WorkspaceFileChanged{Operation: operation, Path: filepath.ToSlash(name)})
}

// SavePaste keeps a text that is too long for a message as a file, which the
// message can name. Errors are as those of [Session.CreateFile].
func (s *Session) SavePaste(ctx context.Context, text string) (*wire.Paste, error) {
	const op = "session.workspaces.saveLargePaste"
	if err := checkText([]byte(text), maxFile); err != nil {
		return nil, fault.New(fault.Invalid, op, s.id, "%w", err)
	}
	name := "paste-" + wire.NewID() + ".txt"
	if err := s.do(ctx, func() error { return s.writeFile(op, name, text) }); err != nil {
		return nil, err
	}
	return &wire.Paste{Filename: name, FilePath: filepath.Join(s.dir, filesFolder, name), SizeBytes: int64(len(text))}, nil
}

// fileName checks a name that a client sent, and says it in the system's words.
func fileName(name string) (string, error) {
	local := filepath.FromSlash(name)
	switch {
	case name == "":
		return "", errors.New("the path is empty")
	case len(name) > maxFilePath:
		return "", fmt.Errorf("the path has %d bytes, want %d at most", len(name), maxFilePath)
	case strings.ContainsRune(name, 0):
		return "", errors.New("the path has a NUL in it")
	case !filepath.IsLocal(local):
		return "", fmt.Errorf("the path %q leads out of the workspace files directory", name)
	case filepath.Clean(local) == ".":
		return "", fmt.Errorf("the path %q names no file", name)
	}
	return filepath.Clean(local), nil
}

func checkText(data []byte, limit int64) error {
	switch {
	case int64(len(data)) > limit:
		return fmt.Errorf("it has more than %d bytes", limit)
	case !utf8.Valid(data):
		return errors.New("it is not text (UTF-8)")
	}
	return nil
}

func describeFile(name string) string {
	return fmt.Sprintf("%q in the workspace files directory", filepath.ToSlash(name))
}

// onFile says what could not be done with what, in the words of faults.
func (s *Session) onFile(op, what string, err error) error {
	if err == nil {
		return nil
	}
	kind := fault.Invalid
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kind = fault.NotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EIO), errors.Is(err, syscall.EMFILE):
		kind = fault.Unavailable
	}
	return fault.New(kind, op, s.id, "%s: %w", what, err)
}
