package clientfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// stored is a session as the streams of this process share it.
type stored struct {
	remote
	mu      sync.Mutex // guards the rest, and the streams
	holder  *lease     // nil: no stream has claimed the log
	streams int        // that are open
	deleted bool
}

// maxID bounds the id of a session, in bytes.
const maxID = 255

// of returns the entry of a session, a new one if there is none yet. [fault.Invalid] if the id
// is not a valid session id.
func (s *Storage) of(ctx context.Context, op, session string) (*stored, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if session == "" || len(session) > maxID || !utf8.ValidString(session) {
		return nil, fault.New(fault.Invalid, op, "", "a session id has 1 to %d bytes of UTF-8", maxID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[session]; known != nil {
		return known, nil
	}
	return &stored{remote: remote{s, session}}, nil
}

// open returns a stream of a session whose log ends at e.
func (s *Storage) open(session *stored, e extent, notice string) eventlog.Stream {
	s.mu.Lock()
	if known := s.sessions[session.session]; known != nil {
		session = known // from another call at the same time
	}
	s.sessions[session.session] = session
	s.mu.Unlock()
	session.mu.Lock()
	defer session.mu.Unlock()
	session.streams++
	return &stream{stored: session, end: e, notice: notice}
}

// Create implements [eventlog.Store].
func (s *Storage) Create(ctx context.Context, session string) (eventlog.Stream, error) {
	const op = "clientfs.Create"
	st, err := s.of(ctx, op, session)
	if err != nil {
		return nil, err
	}
	switch _, err := st.stat(ctx, logName); {
	case err == nil:
		return nil, fault.New(fault.Conflict, op, session, "the storage of the client has a session of this id")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if err := st.write(ctx, logName, ""); err != nil {
		return nil, failed(op, session, err)
	}
	return s.open(st, extent{}, ""), nil
}

// Open implements [eventlog.Store].
func (s *Storage) Open(ctx context.Context, session string) (eventlog.Stream, error) {
	const op = "clientfs.Open"
	st, err := s.of(ctx, op, session)
	if err != nil {
		return nil, err
	}
	text, err := st.read(ctx, logName)
	if err != nil {
		return nil, failed(op, session, err)
	}
	good, e, bad := parse(text)
	if len(bad) == 0 {
		return s.open(st, e, ""), nil
	}
	if err := eventlog.RefuseRepair(ctx, op, session, fmt.Sprintf("%d of its lines are not events", len(bad))); err != nil {
		return nil, err
	}
	if st.claimed() {
		return nil, fault.New(fault.Conflict, op, session, "its log has lines that are not events, and it is being written")
	}
	if err := st.repair(ctx, good, bad); err != nil {
		return nil, failed(op, session, err)
	}
	return s.open(st, e, fmt.Sprintf("The log of the session had %d damaged lines, which are now in %s.", len(bad), st.Path(damagedName))), nil
}

// repair moves the lines that are not records from the log to a file beside it.
func (r remote) repair(ctx context.Context, good string, bad []string) error {
	if err := r.append(ctx, damagedName, strings.Join(bad, "\n")+"\n"); err != nil {
		return err
	}
	if err := r.write(ctx, repairName, good); err != nil {
		return err
	}
	return r.rename(ctx, repairName, logName)
}

func (st *stored) claimed() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.holder != nil
}

// Delete implements [eventlog.Store]. A session without a log does not exist, so the log is
// deleted first.
func (s *Storage) Delete(ctx context.Context, session string) error {
	const op = "clientfs.Delete"
	st, err := s.of(ctx, op, session)
	if err != nil {
		return err
	}
	if st.claimed() {
		return fault.New(fault.Conflict, op, session, "the session is being written")
	}
	if _, err := st.stat(ctx, logName); err != nil {
		return failed(op, session, err)
	}
	if err := st.remove(ctx, logName, false); err != nil {
		return failed(op, session, err)
	}
	st.mu.Lock()
	st.deleted = true
	st.mu.Unlock()
	s.mu.Lock()
	delete(s.sessions, session)
	s.mu.Unlock()
	if err := st.remove(ctx, ".", true); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed(op, session, err)
	}
	return nil
}

// Others implements [eventlog.Store]. Other programs that use the storage are not known.
func (s *Storage) Others(ctx context.Context, session string) (owner string, known bool, err error) {
	const op = "clientfs.Others"
	st, err := s.of(ctx, op, session)
	if err != nil {
		return "", false, err
	}
	if _, err := st.stat(ctx, logName); err != nil {
		return "", false, failed(op, session, err)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.holder != nil:
		return st.holder.owner, true, nil
	case st.streams > 0:
		return eventlog.ThisProcess(), true, nil
	}
	return "", true, nil
}

// Sessions implements [eventlog.Store]. It lists those that were created or opened here: a client
// cannot be asked which sessions it keeps.
func (s *Storage) Sessions(ctx context.Context) ([]eventlog.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	var known []*stored
	for _, st := range s.sessions {
		known = append(known, st)
	}
	s.mu.Unlock()
	var list []eventlog.Info
	for _, st := range known {
		info, err := st.stat(ctx, logName)
		switch {
		case err == nil:
			list = append(list, eventlog.Info{ID: st.session, Size: info.Size, Modified: info.Mtime.Time})
		case !errors.Is(err, fs.ErrNotExist):
			list = append(list, eventlog.Info{ID: st.session})
		}
	}
	return list, ctx.Err()
}

// Scan implements [eventlog.Store].
func (s *Storage) Scan(ctx context.Context, session string) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		text, _, err := s.sound(ctx, "clientfs.Scan", session)
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		records(ctx, text, 1)(yield)
	}
}

// Follow implements [eventlog.Store]. It cannot tell that others append.
func (s *Storage) Follow(ctx context.Context, session string, after uint64) iter.Seq2[eventlog.Record, error] {
	const op = "clientfs.Follow"
	return func(yield func(eventlog.Record, error) bool) {
		text, e, err := s.sound(ctx, op, session)
		switch {
		case err != nil:
		case after > e.records:
			err = fault.New(fault.Conflict, op, session, "cursor %d is past the end of the log at %d", after, e.records)
		default:
			for rec, broken := range records(ctx, text, after+1) {
				if err = broken; err != nil {
					break
				}
				if !yield(rec, nil) {
					return
				}
			}
		}
		if err == nil {
			err = fault.New(fault.Unavailable, op, session, "the storage of a client cannot be followed: %w", errors.ErrUnsupported)
		}
		yield(eventlog.Record{}, err)
	}
}

// sound returns the lines of a log that are records.
func (s *Storage) sound(ctx context.Context, op, session string) (text string, e extent, err error) {
	st, err := s.of(ctx, op, session)
	if err != nil {
		return "", e, err
	}
	if text, err = st.read(ctx, logName); err != nil {
		return "", e, failed(op, session, err)
	}
	text, e, _ = parse(text)
	return text, e, nil
}

// failed is the [fault.Error] of a call of a client; nil if err is nil.
func failed(op, session string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.NotFound, op, session, "the storage of the client has no such session")
	}
	return err
}
