package tool

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/sessiondb"
)

// Workspace is the session as its built-in tools see it. Its methods are safe for
// concurrent use and return at once.
type Workspace interface {
	// Cwd is the directory that the session works in, where relative paths begin:
	// absolute and clean, its symbolic links resolved. It may change between calls.
	Cwd() string
	// Dir is the session's own folder, absolute: plan.md, session.db, temp/ are in
	// it.
	Dir() string
	// Stored returns the file of the session at a path that a model has named, if the session
	// is kept elsewhere than on this machine; nil for any other path.
	Stored(path string) *Stored
	// Partial sends clients a piece of the output of a running call. Nothing is kept.
	Partial(c Call, text string)
	// Progress sends clients a line about how far a call is.
	Progress(c Call, message string)
}

// Stored is a file of a session that a client keeps.
type Stored struct {
	// Name is its path below the session's folder, with slashes.
	Name string
	// Read returns its content. The error wraps [io/fs.ErrNotExist] if there is no such file. A
	// file of more than limit bytes is an error.
	Read func(ctx context.Context, limit int64) ([]byte, error)
}

// Host is everything that the built-in tools of one session need from it.
type Host interface {
	Workspace
	User
	SkillLoader
	Agents
	// Database returns the session's own database, for as long as the session is
	// open; TodosChanged tells clients that its to-dos have changed.
	Database() (sessiondb.Database, error)
	TodosChanged()
	// Resources are those of the MCP servers.
	Resources() Resources
}
