package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// filesFolder holds files of clients and the model: the workspace files directory. Names of
// clients cannot lead out of it.
const filesFolder = "files"

const (
	// maxFile bounds one file that is read or written by a request, in bytes: a fraction of
	// the longest JSON-RPC message.
	maxFile = 10 << 20
	// maxFilePath bounds its name, in bytes.
	maxFilePath = 1024
	// maxListed bounds a list of files, which users look at.
	maxListed = 10_000
)

// List returns the names of the files in the workspace files directory, sorted, with
// slashes; at most the first 10,000.
func (w *Workspace) List(ctx context.Context) (names []string, err error) {
	list, err := w.files.List(ctx, filesFolder, maxListed)
	for _, f := range list {
		names = append(names, f.Name)
	}
	return names, w.fail("session.workspaces.listFiles", "the workspace files directory", err)
}

// Read returns the text of a file in the workspace files directory. The error is
// fault.NotFound if the file does not exist, and fault.Invalid if its name leads out of the
// directory, or if it is not text or longer than 10 MiB.
func (w *Workspace) Read(ctx context.Context, name string) (text string, err error) {
	const op = "session.workspaces.readFile"
	local, err := fileName(name)
	if err != nil {
		return "", w.invalid(op, err)
	}
	data, err := w.files.Read(ctx, path.Join(filesFolder, local), maxFile)
	if err == nil {
		err = checkText(data, maxFile)
	}
	return string(data), w.fail(op, quoted(name), err)
}

// Create writes a whole file in the workspace files directory, and creates the folders that
// its name needs. The file is stored before recorded is called with its clean name. Errors
// are those of [Workspace.Read].
func (w *Workspace) Create(ctx context.Context, name, text string, recorded func(name string, created bool) error) error {
	return w.create(ctx, "session.workspaces.createFile", name, text, recorded)
}

func (w *Workspace) create(ctx context.Context, op, name, text string, recorded func(name string, created bool) error) error {
	local, err := fileName(name)
	if err == nil {
		err = checkText([]byte(text), maxFile)
	}
	if err != nil {
		return w.invalid(op, err)
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	created, err := w.files.Write(ctx, path.Join(filesFolder, local), []byte(text), Durable)
	if err != nil {
		return w.fail(op, quoted(local), err)
	}
	return recorded(local, created)
}

// SavePaste stores a text that is too long for a message as a file with the given name, to
// which the message can then refer. It returns the path of the file for programs. Errors and
// recorded are as for [Workspace.Create].
func (w *Workspace) SavePaste(ctx context.Context, name, text string, recorded func(name string, created bool) error) (at string, err error) {
	if err := w.create(ctx, "session.workspaces.saveLargePaste", name, text, recorded); err != nil {
		return "", err
	}
	return w.files.Path(path.Join(filesFolder, name)), nil
}

// fileName checks a name from a client, and returns it clean, with slashes.
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
	return filepath.ToSlash(filepath.Clean(local)), nil
}
