package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// payloadsName is the folder of payloads in that of a session. Each file in it is called
// as its payload, so its name says what its bytes must be.
const payloadsName = "events.payloads"

// Lost is an event that is stored beside the log, and whose content is missing or damaged.
type Lost struct {
	Event uint64 `json:"event"` // its number in the log, from 1
	Type  string `json:"type"`
	Why   string `json:"why"`
}

// reference is a record that stands for a payload.
type reference struct {
	event     uint64 // its number in the log, from 1
	typ, name string // of the event, and of its payload
}

// referenceOf returns the reference that a record is, if it is one.
func referenceOf(event uint64, rec []byte) (reference, bool) {
	name := eventlog.Reference(rec)
	if name == "" {
		return reference{}, false
	}
	e, _ := wire.ParseEvent(rec) // without a type the reference is as lost
	return reference{event, string(e.Type), name}, true
}

// lost describes the event of a reference whose payload cannot be read.
func (r reference) lost(err error) Lost {
	return Lost{Event: r.event, Type: shown(r.typ), Why: fault.Message(err)}
}

// Put implements [eventlog.Lease]. The payload is synced for every value of [Options.Sync]: a
// record without its payload would be worth nothing.
func (l *lease) Put(ctx context.Context, data []byte) (name string, err error) {
	const op = "files.Put"
	s := l.stream
	if err := l.held(ctx, op); err != nil {
		return "", err
	}
	switch {
	case len(data) > eventlog.MaxPayload:
		return "", fault.New(fault.Invalid, op, s.path(), "a payload has %d bytes, above the limit of %d", len(data), eventlog.MaxPayload)
	case s.broken != nil:
		return "", s.inDoubt(op)
	}
	if s.check(); s.lease != l { // else the folder of a deleted session would come back
		return "", l.Err()
	}
	name = eventlog.PayloadName(data)
	if err := s.store.putPayload(s.dir, name, data); err != nil {
		return "", failed(op, filepath.Join(s.dir, payloadsName, name), err)
	}
	return name, nil
}

// putPayload writes a payload of the session in dir, durably but for the name of dir.
func (s *Store) putPayload(dir, name string, data []byte) error {
	folder := filepath.Join(dir, payloadsName)
	if err := s.fs.MkdirAll(folder, dirPerm); err != nil {
		return err
	}
	if err := vfs.WriteFileAtomic(s.fs, filepath.Join(folder, name), data, filePerm); err != nil {
		return err
	}
	return s.fs.SyncDir(dir)
}

// Payload implements [eventlog.Stream].
func (s *stream) Payload(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.store.payload(s.dir, name)
}

// Payload implements [eventlog.Store].
func (s *Store) Payload(ctx context.Context, session, name string) ([]byte, error) {
	dir, err := s.dir("files.Payload", session)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	}
	return s.payload(dir, name)
}

// payload reads a payload of the session in dir, and checks that it is the one of its
// name.
func (s *Store) payload(dir, name string) ([]byte, error) {
	const op = "files.Payload"
	path := filepath.Join(dir, payloadsName, name)
	if !eventlog.IsPayloadName(name) {
		return nil, fault.New(fault.NotFound, op, dir, "%q is not the name of a payload", shown(name))
	}
	info, err := s.fs.Stat(path)
	var data []byte
	if err == nil && info.Size() <= eventlog.MaxPayload {
		data, err = s.fs.ReadFile(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, op, path, "the payload of an event is missing")
	case errors.Is(err, vfs.ErrNotRegular), errors.Is(err, syscall.EISDIR):
		return nil, fault.New(fault.Conflict, op, path, "the payload of an event is not a file")
	case err != nil:
		return nil, failed(op, path, err)
	case eventlog.PayloadName(data) != name:
		return nil, fault.New(fault.Conflict, op, path, "the payload of an event is damaged")
	}
	return data, nil
}
