package workspace

import (
	"context"
	"slices"
	"strings"
)

// Store stores the workspaces of sessions. There is one implementation per technology. It is
// safe for concurrent use.
type Store interface {
	// Files returns the storage of one session's workspace. It does no I/O: a session
	// without files needs no storage.
	Files(session string) Files
}

// Files is the storage of one session's workspace. A name is a relative path that
// [io/fs.ValidPath] accepts, and cannot lead out of the workspace, also not through a link.
// All methods return an error for other names.
//
// If a file does not exist, errors wrap [io/fs.ErrNotExist]. Concurrent calls are safe; of
// two writes of the same name, the one that returns last is kept. When ctx ends, a method
// returns early; a write that has begun may still complete.
type Files interface {
	// Read returns the content of a regular file of at most limit bytes. Anything else is an
	// error, because reading a pipe would never end.
	Read(ctx context.Context, name string, limit int64) ([]byte, error)
	// Write creates or replaces a file, and creates the folders that its name needs. created
	// reports that the file is new. If Write returns nil, the file survives a power failure,
	// unless w is [Derived]; if it fails, the old content is unchanged.
	Write(ctx context.Context, name string, data []byte, w Durability) (created bool, err error)
	// Remove removes a file, durably.
	Remove(ctx context.Context, name string) error
	// List returns the regular files below a folder, "." for all, sorted by name; at most
	// the first limit. Names are relative to folder. A missing folder gives an empty list.
	List(ctx context.Context, folder string, limit int) ([]Info, error)
	// Path returns the path under which programs find the file, whether or not it exists; ""
	// if no program can. They are programs on this machine, or on that of the client that
	// keeps the session.
	Path(name string) string
}

// Durability is what a write survives.
type Durability uint8

const (
	Durable Durability = iota // a power failure
	Derived                   // the end of the process; a truncated file can be written again
)

// Info is one file in the result of [Files.List].
type Info struct {
	Name string
	Size int64 // bytes
}

// Named reports whether a workspace keeps files under such a name: it, or the folder that it
// begins with, is one that this package uses.
func Named(name string) bool {
	top, _, below := strings.Cut(name, "/")
	if !below {
		return slices.Contains([]string{planName, descriptionName, outputsFolder, filesFolder, checkpointsFolder}, top)
	}
	return slices.Contains([]string{outputsFolder, filesFolder, checkpointsFolder}, top)
}
