package clientfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// remote is the storage of one session. Names are relative, with slashes.
type remote struct {
	*Storage
	session string
}

// call calls a method of the client. The error is ctx.Err() if ctx is done already; it wraps
// [fs.ErrNotExist] if the client says that; otherwise it has [fault.Unavailable].
func (s *Storage) call(ctx context.Context, method string, params, result any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.opts.Wait, errSlow(s.opts.Wait.String()))
	defer cancel()
	err := s.opts.Call(ctx, "sessionFs."+method, params, result)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return unavailable(method, err)
	}
	return nil
}

// errSlow is the reason when a client has not answered for so long.
type errSlow string

func (e errSlow) Error() string { return "the client did not answer within " + string(e) }

func unavailable(method string, err error) error {
	return &fault.Error{
		Op: "client.sessionFs." + method, Kind: fault.Unavailable, Err: fmt.Errorf("the client that keeps the session failed: %w", err),
		Hint: "resume the session when its client is back",
	}
}

// refused is the error that a client has answered with; nil if e is nil.
func refused(method, name string, e *wire.StorageError) error {
	if e == nil {
		return nil
	}
	text := "it gave no reason"
	if e.Message != nil && *e.Message != "" {
		text = fault.Bounded(*e.Message)
	}
	if e.Code == "ENOENT" {
		return &fs.PathError{Op: "sessionFs." + method, Path: name, Err: fs.ErrNotExist}
	}
	return unavailable(method, errors.New(text))
}

// void calls a method whose result is null or an error.
func (r remote) void(ctx context.Context, method, name string, params any) error {
	var answer *wire.StorageError
	if err := r.call(ctx, method, params, &answer); err != nil {
		return err
	}
	if answer != nil && answer.Code == "" {
		return nil // {} stands for null
	}
	return refused(method, name, answer)
}

// read returns the text of a file.
func (r remote) read(ctx context.Context, name string) (string, error) {
	var answer wire.StorageFileRead
	if err := r.call(ctx, "readFile", wire.StorageReadFile{SessionID: r.session, Path: r.Path(name)}, &answer); err != nil {
		return "", err
	}
	return answer.Content, refused("readFile", name, answer.Error)
}

// write replaces a file. The client creates its folders.
func (r remote) write(ctx context.Context, name, text string) error {
	return r.void(ctx, "writeFile", name, wire.StorageWriteFile{SessionID: r.session, Path: r.Path(name), Content: text, Mode: private()})
}

// append adds to the end of a file.
func (r remote) append(ctx context.Context, name, text string) error {
	return r.void(ctx, "appendFile", name, wire.StorageAppendFile{SessionID: r.session, Path: r.Path(name), Content: text, Mode: private()})
}

// private is the mode of files that only their owner reads.
func private() *int64 {
	mode := int64(0o600)
	return &mode
}

// stat describes a file or a folder.
func (r remote) stat(ctx context.Context, name string) (info wire.StorageInfo, err error) {
	if err = r.call(ctx, "stat", wire.StorageStat{SessionID: r.session, Path: r.Path(name)}, &info); err == nil {
		err = refused("stat", name, info.Error)
	}
	return info, err
}

// list returns what is in a folder.
func (r remote) list(ctx context.Context, name string) ([]wire.StorageEntry, error) {
	var answer wire.StorageEntries
	if err := r.call(ctx, "readdirWithTypes", wire.StorageReaddir{SessionID: r.session, Path: r.Path(name)}, &answer); err != nil {
		return nil, err
	}
	return answer.Entries, refused("readdirWithTypes", name, answer.Error)
}

// remove removes a file, or everything in a folder.
func (r remote) remove(ctx context.Context, name string, all bool) error {
	return r.void(ctx, "rm", name, wire.StorageRm{SessionID: r.session, Path: r.Path(name), Recursive: &all, Force: &all})
}

// rename gives a file another name, and replaces the file of that name.
func (r remote) rename(ctx context.Context, from, to string) error {
	return r.void(ctx, "rename", from, wire.StorageRename{SessionID: r.session, Src: r.Path(from), Dest: r.Path(to)})
}
