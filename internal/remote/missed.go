package remote

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// maxPage is how many events of the log are asked for at once.
const maxPage = 1000

// page is a result of session.eventLog.read.
type page struct {
	Cursor string            `json:"cursor"`
	More   bool              `json:"hasMore"`
	Events []json.RawMessage `json:"events"`
}

// read reads a page of the log; cursor is "" for the first.
func (s *Session) read(ctx context.Context, cursor, direction string) (p page, err error) {
	params := map[string]any{"max": maxPage, "includeEphemeral": false, "direction": direction}
	if cursor != "" {
		params["cursor"] = cursor
	}
	err = s.do(ctx, "session.eventLog.read", params, &p)
	return p, err
}

// events decodes the events of a page. One that cannot be read is left out, as by every reader.
func (p page) events() (list []wire.Event) {
	for _, line := range p.Events {
		if e, err := wire.ParseEvent(line); err == nil {
			list = append(list, e)
		}
	}
	return list
}

// log yields the persisted events from the first.
func (s *Session) log(ctx context.Context) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for cursor, more := "", true; more; {
			p, err := s.read(ctx, cursor, "forward")
			if err != nil {
				yield(wire.Event{}, err)
				return
			}
			for _, e := range p.events() {
				if !yield(e, nil) {
					return
				}
			}
			cursor, more = p.Cursor, p.More
		}
	}
}

// maxMissed bounds the events that are read after a lost connection, in pages.
const maxMissed = 100

// missed returns the persisted events after the last that was passed on.
func (s *Session) missed(ctx context.Context) (list []wire.Event, err error) {
	cursor := ""
	for range maxMissed {
		p, err := s.read(ctx, cursor, "backward")
		if err != nil {
			return nil, err
		}
		events := p.events()
		i := slices.IndexFunc(events, func(e wire.Event) bool { return e.ID == s.last })
		list = slices.Concat(events[i+1:], list)
		if i >= 0 || !p.More || s.last == "" {
			return list, nil
		}
		cursor = p.Cursor
	}
	return nil, fault.New(fault.Conflict, "remote.Events", s.id, "more than %d events have happened meanwhile", maxMissed*maxPage)
}

// catchUp passes on what has happened while the connection was lost.
func (st *stream) catchUp(ctx context.Context) error {
	list, err := st.missed(ctx)
	if err != nil {
		return err
	}
	working, err := st.isWorking(ctx)
	if err != nil {
		return err
	}
	st.withdrawAll() // the server asks again what it still wants to know
	st.behind = true
	for i, e := range list {
		if st.pass(e, i == 0); st.stopped {
			return nil
		}
	}
	st.behind = false
	if err := st.interest(ctx, st.connection()); err != nil {
		return err
	}
	if !st.pending(ctx) {
		return nil
	}
	if st.working && !working {
		st.say("session.idle", map[string]any{})
	}
	st.say("session.info", map[string]any{"infoType": "connected", "message": "Connected to " + st.link.Address + " again."})
	return nil
}
