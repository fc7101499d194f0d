package app

import (
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"log/slog"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// listed is a row of `sessions list`.
type listed struct {
	wire.SessionMetadata
	Bytes int64 `json:"eventsFileSizeBytes"`
}

// shelf is the stored sessions, to look at.
type shelf struct {
	store    *files.Store
	registry *session.Registry
}

// shelf opens the sessions without being able to change anything. There may be
// none yet; the error is then [fs.ErrNotExist].
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
	return &shelf{store: store, registry: session.NewRegistry(session.Options{
		Store: store, FS: look, Version: Version(), Logger: slog.New(slog.DiscardHandler),
	})}, nil
}

// listSessions returns the sessions that somebody has said something in.
func (o *options) listSessions() ([]listed, error) {
	s, err := o.shelf()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	infos, err := s.store.Sessions()
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(infos))
	for _, i := range infos {
		sizes[i.ID] = i.Size
	}
	described, err := s.registry.List(wire.SessionContext{})
	if err != nil {
		return nil, err
	}
	list := make([]listed, len(described))
	for i, m := range described {
		list[i] = listed{SessionMetadata: m, Bytes: sizes[m.SessionID]}
	}
	return list, nil
}

// storedEvents yields a session's events as the log holds them, oldest first. An
// error is the last pair yielded.
func (o *options) storedEvents(id string) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		s, err := o.shelf()
		if errors.Is(err, fs.ErrNotExist) {
			err = unknownSession(id)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for event, err := range s.registry.History(id) {
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
