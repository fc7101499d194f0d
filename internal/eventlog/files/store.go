package files

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Sync says what a store makes durable against a loss of power. A process that is
// killed loses nothing, for every value of Sync.
type Sync uint8

const (
	// SyncTurn syncs durable appends before they return. The session decides
	// which those are: what the user wrote, and what acts on the world.
	SyncTurn Sync = iota
	// SyncAlways syncs every append.
	SyncAlways
	// SyncOS leaves syncing to the operating system; most do it after some 30 seconds.
	SyncOS
)

// Options configures [Open]. Only Root is required.
type Options struct {
	// Root is the folder of all sessions, …/session-state. Open makes it if it is
	// missing.
	Root string
	// FS is the file system. Default: that of the operating system.
	FS vfs.FS
	// Sync says which appends are synced. Default: [SyncTurn].
	Sync Sync
	// Logger gets messages about repairs, and about files that could not be removed.
	// Default: none.
	Logger *slog.Logger
	// LeftOut is told what [Store.Scan] has passed over because it is no event, when it has read a log to its end.
	// It is called on any goroutine, with every such Scan, and must not use the store. Default: nobody is told.
	LeftOut func(session string, what LeftOut)
}

// LeftOut is what of a log is no event.
type LeftOut struct {
	Pieces int      // broken pieces, as [Repair.Dropped] counts them
	Lines  []uint64 // in which the first 100 of them begin, counted from 1
}

const (
	logName  = "events.jsonl"
	dirPerm  = 0o700
	filePerm = 0o600
)

// Store keeps sessions in folders. It is safe for concurrent use and has nothing to
// close.
type Store struct {
	root string
	fs   vfs.FS
	sync Sync
	log  *slog.Logger

	leftOut func(session string, what LeftOut) // may be nil

	commits commits
	watches watches
	streams atomic.Uint64 // how many were opened

	mu        sync.Mutex // guards the rest; held while root is synced
	rootNamed bool       // the name of root is durable
}

var _ eventlog.Store = (*Store)(nil)

// Open returns the store in opts.Root. It finishes deletions that a crash has
// interrupted and does not read sessions.
//
// [fault.Invalid] if Root is empty or a file, [fault.Denied] if it cannot be
// made or read, [fault.Unavailable] if the disk fails.
func Open(opts Options) (*Store, error) {
	const op = "files.Open"
	if opts.Root == "" {
		return nil, fault.New(fault.Invalid, op, "", "no root folder given")
	}
	root, err := filepath.Abs(opts.Root)
	if err != nil {
		return nil, failed(op, opts.Root, err)
	}
	s := &Store{root: root, fs: opts.FS, sync: opts.Sync, log: opts.Logger, leftOut: opts.LeftOut}
	if s.fs == nil {
		s.fs = vfs.OS{}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.makeRoot(); err != nil {
		return nil, failed(op, root, err)
	}
	s.sweep()
	return s, nil
}

// makeRoot makes the root folder if it is missing. It syncs the parents only then, so
// that only the first start pays for it.
func (s *Store) makeRoot() error {
	info, err := s.fs.Stat(s.root)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.sync == SyncOS:
		return s.fs.MkdirAll(s.root, dirPerm)
	case errors.Is(err, fs.ErrNotExist):
		return vfs.MkdirAllSync(s.fs, s.root, dirPerm)
	case err == nil && !info.IsDir():
		return syscall.ENOTDIR
	}
	return err
}

// Dir returns the absolute path of a session's folder, which need not exist. It is
// empty for an id that the store refuses.
func (s *Store) Dir(session string) string {
	dir, _ := s.dir("", session)
	return dir
}

func (s *Store) dir(op, session string) (string, error) {
	name, err := folder(op, session)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.root, name), nil
}

// Create makes the folder of a session and an empty log in it. The folder may exist
// already, the log must not. Nothing is synced before the first durable append. The
// errors are those of [eventlog.Store] and of [Open].
func (s *Store) Create(ctx context.Context, session string) (eventlog.Stream, error) {
	const op = "files.Create"
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := s.dir(op, session)
	if err != nil {
		return nil, err
	}
	if err := s.fs.MkdirAll(dir, dirPerm); err != nil {
		return nil, failed(op, dir, err)
	}
	path := filepath.Join(dir, logName)
	f, err := s.fs.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, filePerm)
	if errors.Is(err, fs.ErrExist) {
		return nil, fault.New(fault.Conflict, op, shown(session), "the session exists")
	}
	if err != nil {
		_ = s.fs.Remove(dir) // if nothing is in it
		return nil, failed(op, path, err)
	}
	st, err := s.newStream(dir, f)
	if err == nil {
		err = s.dropIndex(dir) // of a log that was removed
	}
	if err != nil {
		_ = f.Close() // nothing was written
		_ = s.fs.Remove(path)
		_ = s.fs.Remove(dir) // if nothing else is in it
		return nil, failed(op, path, err)
	}
	return st, nil
}

// Open reads the log of a session once, from beginning to end, and repairs it if
// necessary; see the package comment. Beyond the errors of [eventlog.Store] it returns
// [fault.Conflict] if a line was changed that had been synced to disk. Open looks
// at ctx before it begins.
func (s *Store) Open(ctx context.Context, session string) (eventlog.Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	st, err := s.open(ctx, session, false)
	if err != nil {
		return nil, err
	}
	return st, nil
}

func (s *Store) open(ctx context.Context, session string, accept bool) (*stream, error) {
	const op = "files.Open"
	dir, err := s.dir(op, session)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, logName)
	f, err := s.fs.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, s.missing(op, session, path, err)
	}
	st, err := s.newStream(dir, f)
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, failed(op, path, err)
	}
	if err := st.load(ctx, session, accept); err != nil {
		_ = st.file.Close() // it was only read, or the error is the one to act on
		return nil, failed(op, path, err)
	}
	if repair := st.repair; repair != nil {
		s.log.Warn("log repaired", "session", session, "reason", repair.Reason, "cut", repair.CutBytes, "saved", repair.SavedAs)
	}
	if !accept {
		st.followIndex()
	}
	return st, nil
}

// missing is failed, except that it reports a missing file as a missing session.
func (s *Store) missing(op, session, path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, op, shown(session), "there is no such session in %s", s.root)
	}
	return failed(op, path, err)
}

// nameRoot makes the name of the root durable, once.
func (s *Store) nameRoot() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rootNamed {
		return nil
	}
	err := s.fs.SyncDir(filepath.Dir(s.root))
	s.rootNamed = err == nil
	return err
}
