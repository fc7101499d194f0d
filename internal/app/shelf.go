package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
)

// lookWait is how long a list waits to be made exact. A person waits for it, and
// the next list of the same command does not come.
const lookWait = 2 * time.Second

// shelf is the stored sessions, to look at. Close it.
type shelf struct {
	*session.Registry
	store *files.Store
}

// shelf opens the sessions without being able to change any of them. A catalogue
// is used, and brought up to date, if there is one; it is not made. There may be
// no sessions yet; the error is then [fs.ErrNotExist].
func (o *options) shelf() (*shelf, error) {
	cfg, err := o.config()
	if err != nil {
		return nil, err
	}
	root := filepath.Join(absolute(cfg.Home.Value), "session-state")
	look := readOnly{}
	if _, err := look.Stat(root); err != nil {
		return nil, &fault.Error{
			Op: "sessions", On: root, Kind: fault.Denied, Hint: "sidestick doctor says which setting this is", Err: reason(err),
		}
	}
	store, err := files.Open(files.Options{Root: root, FS: look})
	if err != nil {
		return nil, err
	}
	return &shelf{store: store, Registry: session.NewRegistry(session.Options{
		Store: store, FS: look, Version: Version(), Logger: slog.New(slog.DiscardHandler),
		Catalog: catalog.Options{Path: catalogPath(cfg), Existing: true, Patience: lookWait},
	})}, nil
}

// newest returns the newest sessions that somebody has said something in, at most
// limit, 0 for all, and how many more there are.
func (o *options) newest(ctx context.Context, limit int) (list []listing.Listed, more int, err error) {
	sessions, err := o.shelf()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, sessions.Close(ctx)) }()
	return sessions.Newest(ctx, limit)
}

// storedEvents yields a session's events as the log holds them, oldest first. An
// error is the last pair yielded.
func (o *options) storedEvents(id string) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		sessions, err := o.shelf()
		if errors.Is(err, fs.ErrNotExist) {
			err = unknownSession(id)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = sessions.Close(context.Background()) }() // nothing was written
		for event, err := range sessions.History(context.Background(), id) {
			if err != nil && fault.KindOf(err) == fault.NotFound {
				err = unknownSession(id)
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

func unknownSession(id string) error {
	return &fault.Error{
		Op: "sessions", On: id, Kind: fault.NotFound, Hint: "sidestick sessions list shows the ids",
		Err: errors.New("there is no such session"),
	}
}
