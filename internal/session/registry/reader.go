package registry

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Live yields what each session in memory does now, in the order of their ids, those that clients keep among them.
// It reads no disk, runs no command of a session and waits for none, so it is right while sessions are busy or stuck.
// A session that is being opened is not among them yet.
func (r *Registry) Live() iter.Seq[listing.Live] {
	return func(yield func(listing.Live) bool) {
		r.mu.Lock()
		list := r.all()
		r.mu.Unlock()
		for _, s := range list {
			if !yield(s.Glance()) {
				return
			}
		}
	}
}

// all returns the sessions in memory, in the order of their ids. The caller holds r.mu.
func (r *Registry) all() []*session.Session {
	list := make([]*session.Session, 0, len(r.slots))
	for _, sl := range r.slots {
		if sl.session != nil {
			list = append(list, sl.session)
		}
	}
	slices.SortFunc(list, func(a, b *session.Session) int { return strings.Compare(a.ID(), b.ID()) })
	return list
}

// Reader reads the records of a session and then those that come, whoever records them. It is no client: it does not
// keep the session in memory, and a session does not know of it. One goroutine at a time may range over Records.
type Reader struct {
	reg   *Registry
	id    string
	after uint64 // position of the last persisted record that was yielded
}

// Tail returns a reader of a session, in memory or not, that has handled the records up to position after, 0 for
// none. Nothing is held until [Reader.Records] begins. [fault.NotFound] if there is no such session. One that a client
// keeps can be read while it is in memory.
func (r *Registry) Tail(ctx context.Context, id string, after uint64) (*Reader, error) {
	if r.loaded(id) == nil {
		for _, err := range r.opts.Store.Scan(ctx, id) {
			if err != nil {
				return nil, missing(id, err)
			}
			break
		}
	}
	return &Reader{reg: r, id: id, after: after}, nil
}

// Records yields every persisted record after the last that was yielded, in order, with no gap and no repeat. While
// the session is in memory here it also yields ephemeral events, as they come; see [eventlog.Log.Follow].
//
// It goes on when the session leaves memory, and when it is opened again. The last pair yielded says why it ends:
// ctx.Err(); [fault.NotFound] if the session was deleted; [fault.Conflict] if the position is past the end of the
// log, or another owner has taken back what was read before it was durable; or an error of storage. Ranging over
// Records again goes on after the last record.
func (rd *Reader) Records(ctx context.Context) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for {
			s, opened, done := rd.reg.follow(ctx, rd.id)
			var goesOn bool
			var err error
			if s != nil {
				goesOn, err = rd.inMemory(ctx, s, yield)
			} else {
				goesOn, err = rd.stored(ctx, opened, yield)
			}
			done()
			if goesOn && err != nil {
				yield(eventlog.Record{}, missing(rd.id, err))
			}
			if !goesOn || err != nil {
				return
			}
		}
	}
}

// inMemory yields from the log of a session until the session has left memory. It reports false if the caller of
// yield has stopped.
func (rd *Reader) inMemory(ctx context.Context, s *session.Session, yield func(eventlog.Record, error) bool) (goesOn bool, err error) {
	tail := session.Follow(s, rd.after)
	defer tail.Close()
	goesOn, err = rd.pass(tail.Records(ctx), yield)
	if !goesOn || !errors.Is(err, eventlog.ErrClosed) {
		return goesOn, err
	}
	select {
	case <-s.Closed():
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// stored yields from storage until the session is opened. until, which ctx is the parent of, ends then.
func (rd *Reader) stored(ctx, until context.Context, yield func(eventlog.Record, error) bool) (goesOn bool, err error) {
	goesOn, err = rd.pass(eventlog.Follow(until, rd.reg.opts.Store, rd.id, rd.after), yield)
	if ctx.Err() == nil && errors.Is(err, context.Canceled) {
		err = nil
	}
	return goesOn, err
}

// pass yields records. It returns what inMemory does.
func (rd *Reader) pass(records iter.Seq2[eventlog.Record, error], yield func(eventlog.Record, error) bool) (goesOn bool, err error) {
	for rec, err := range records {
		if err != nil {
			return true, err
		}
		if !rec.Ephemeral {
			rd.after = rec.Pos
		}
		if !yield(rec, nil) {
			return false, nil
		}
	}
	return true, nil
}

// follow returns a session that is in memory or, of another, a context that ends when it is opened. done ends what
// is held for that.
func (r *Registry) follow(ctx context.Context, id string) (s *session.Session, opened context.Context, done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sl := r.slots[id]; sl != nil && sl.session != nil {
		return sl.session, nil, func() {}
	}
	opened, cancel := context.WithCancel(ctx)
	f := &follower{id, cancel}
	if r.followers == nil {
		r.followers = map[*follower]struct{}{}
	}
	r.followers[f] = struct{}{}
	return nil, opened, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.followers, f)
	}
}

// follower is a reader of a stored session.
type follower struct {
	id     string
	opened context.CancelFunc
}

// missing is err in the words of a client if there is no such session.
func missing(id string, err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return wire.SessionNotFound(id)
	}
	return err
}
