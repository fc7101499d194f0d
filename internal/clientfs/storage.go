package clientfs

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Options configures a [Storage].
type Options struct {
	// Call calls a method of the client and decodes its result. It returns when the client has
	// answered, its connection has ended, or ctx has. An error that the client answers with has
	// [fault.NotFound] if the client does not have the method.
	Call func(ctx context.Context, method string, params, result any) error
	// Connection ends with the connection of the client.
	Connection context.Context
	// StatePath is the folder of a session in its storage, absolute. Each session has a storage
	// of its own, so it is the same for all. Cwd is where sessions work that name no folder.
	StatePath, Cwd string
	// Windows says that paths have backslashes.
	Windows bool
	// SQLite says that the client has databases.
	SQLite bool
	// Wait bounds one call. Default 30 seconds.
	Wait time.Duration
}

// defaultWait bounds one call of a client: longer than a store in a network takes, and short
// enough for users to wait.
const defaultWait = 30 * time.Second

// Storage is the storage of sessions that one client offers. It is safe for concurrent use.
type Storage struct {
	opts Options

	mu       sync.Mutex
	sessions map[string]*stored // those that were created or opened, until they are deleted
}

var (
	_ eventlog.Store  = (*Storage)(nil)
	_ workspace.Store = (*Storage)(nil)
)

// New returns the storage that a client offers. It calls nothing.
func New(opts Options) *Storage {
	opts.Wait = cmp.Or(opts.Wait, defaultWait)
	return &Storage{opts: opts, sessions: map[string]*stored{}}
}

// Connection returns the context that ends with the connection of the client.
func (s *Storage) Connection() context.Context { return s.opts.Connection }

// Cwd returns where sessions work that name no folder; "" if the client named none.
func (s *Storage) Cwd() string { return s.opts.Cwd }

// Path returns where a file of a session is, in the words of the client. name is relative, with
// slashes; "." is the session's folder.
func (s *Storage) Path(name string) string {
	if !s.opts.Windows {
		return path.Join(s.opts.StatePath, name)
	}
	if name == "." {
		return s.opts.StatePath
	}
	return strings.TrimRight(s.opts.StatePath, `\/`) + `\` + strings.ReplaceAll(name, "/", `\`)
}

// Name is the inverse of [Storage.Path]: the name of a file of a session, relative and with
// slashes. ok is false for a path that is not below the session's folder.
func (s *Storage) Name(at string) (name string, ok bool) {
	root := s.opts.StatePath
	if s.opts.Windows {
		at, root = strings.ReplaceAll(at, `\`, "/"), strings.ReplaceAll(root, `\`, "/")
	}
	name, ok = strings.CutPrefix(path.Clean(at), strings.TrimSuffix(path.Clean(root), "/")+"/")
	return name, ok && fs.ValidPath(name)
}
