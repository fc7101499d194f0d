package workspace

import "context"

// Store keeps the workspaces of sessions. There is one implementation per technology.
// It is safe for concurrent use.
type Store interface {
	// Files is the storage of one session's workspace. It touches no storage itself: a
	// session without files takes none.
	Files(session string) Files
}

// Files is the storage of one session's workspace. A name is relative, in the words of
// [io/fs.ValidPath], and leads nowhere else, also not by a link. A name that is not of
// that form is an error of every method.
//
// Errors wrap [io/fs.ErrNotExist] where there is no such file. Concurrent calls are
// safe; of two writes of one name, the one that returns last is kept. ctx ends waiting;
// a write that was handed to storage may happen all the same.
type Files interface {
	// Read returns the bytes of a regular file of at most limit bytes. Anything else is
	// an error: a pipe would never end.
	Read(ctx context.Context, name string, limit int64) ([]byte, error)
	// Write replaces a file whole, or makes it, with the folders that its name needs.
	// created reports that there was none. When it returns nil the file survives a loss
	// of power, unless w is [Derived]; when it fails, the old bytes are still there.
	Write(ctx context.Context, name string, data []byte, w Durability) (created bool, err error)
	// Remove removes a file, durably.
	Remove(ctx context.Context, name string) error
	// List returns the regular files below a folder, "." for all, ordered by name; of
	// more than limit the first. Names are relative to folder. No such folder is an
	// empty list.
	List(ctx context.Context, folder string, limit int) ([]Info, error)
	// Path is where a program on this machine finds the file, there or not; "" if no
	// program can.
	Path(name string) string
}

// Durability is what a write survives.
type Durability uint8

const (
	Durable Durability = iota // a loss of power
	Derived                   // the end of the process; a torn file can be made again
)

// Info is a row of [Files.List].
type Info struct {
	Name string
	Size int64 // bytes
}
