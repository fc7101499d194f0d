package remote

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// reconnectTime bounds the attempts to connect again, with the pauses before them. A server that is
// started again needs seconds; after a minute the user had better know.
const reconnectTime = time.Minute

// waits are the pauses before the attempts to connect again, as far as there is time for them. The
// last one repeats.
var waits = [...]time.Duration{
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second,
	8 * time.Second, 15 * time.Second,
}

// Events yields what happens from the moment at which the session was opened, until ctx ends or the
// session is closed. When the connection is lost, it connects again, and yields what was missed: each
// persisted event comes once. A warning and a notice say so. The last pair has the error if that
// cannot be done.
func (s *Session) Events(ctx context.Context) iter.Seq2[follow.Event, error] {
	return func(yield func(follow.Event, error) bool) {
		st := &stream{Session: s, yield: yield}
		s.mu.Lock()
		s.first = nil // what follows is not in it
		s.mu.Unlock()
		if !st.pending(ctx) {
			return
		}
		for ctx.Err() == nil && !st.stopped {
			s.mu.Lock()
			on := s.on
			s.mu.Unlock()
			e, err := on.Next(ctx)
			switch {
			case err == nil:
				st.pass(e, false)
			case ctx.Err() == nil:
				st.reconnect(ctx, err)
			}
		}
	}
}

// stream is one use of Events.
type stream struct {
	*Session
	yield   func(follow.Event, error) bool
	stopped bool // the receiver wants no more, or there is no more
	behind  bool // the events are those that were missed
}

// pass passes an event on, unless it was passed on before.
func (st *stream) pass(e wire.Event, missed bool) {
	if !e.Ephemeral {
		if st.seen[e.ID] || st.before[e.ID] {
			return
		}
		st.learn(e)
	}
	if st.retried(e) || !st.asking(e) {
		return
	}
	switch e.Type {
	case "user.message", "assistant.turn_start":
		st.working = st.working || e.AgentID == ""
	case "session.idle":
		st.working = false
	}
	out := st.event(e)
	out.Missed = missed
	if !st.yield(out, nil) {
		st.stopped = true
	}
	if e.Type == "session.shutdown" && !st.behind {
		st.stopped = true // otherwise it was resumed since
		st.mu.Lock()
		st.closed = true
		st.mu.Unlock()
	}
}

// retried takes an event that says that a model call is made again.
func (st *stream) retried(e wire.Event) bool {
	if d := wire.Raw(e.Data); e.Type != "session.info" || d.Get("infoType").Text() != wire.InfoModelRetry {
		return false
	}
	var data struct {
		Retry wire.ModelRetry `json:"retry"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return true // from a newer server
	}
	select {
	case st.retries <- data.Retry:
	default: // the receiver has more to show than it can
	}
	return true
}

// say passes on an event that no server has sent.
func (st *stream) say(kind wire.EventType, data map[string]any) {
	raw, err := json.Marshal(data)
	if err != nil {
		return // texts and booleans only
	}
	st.pass(wire.Event{Header: wire.Header{ID: wire.NewID(), Time: time.Now(), Ephemeral: true, Type: kind}, Data: raw}, false)
}

// reconnect connects again after the connection was lost, and passes on what was missed. A server that
// cannot be reached, or that does not answer, is given up after reconnectTime.
func (st *stream) reconnect(ctx context.Context, lost error) {
	st.say("session.warning", map[string]any{
		"warningType": "connection_lost", "message": "The connection to " + st.link.Address + " is lost. Trying to connect again …",
	})
	failed := st.connection()
	_ = failed.Close() // if it is not lost but too slow, it is of no use either
	bounded, cancel := context.WithTimeout(ctx, reconnectTime)
	defer cancel()
	for n := 0; !st.stopped && sleep(bounded, waits[min(n, len(waits)-1)]); n++ {
		err := st.attach(bounded, failed)
		if err == nil {
			err = st.catchUp(ctx)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		lost, failed = err, st.connection()
		if k := fault.KindOf(err); k != fault.Unavailable && k != fault.Canceled {
			break // the server is there, and refuses
		}
	}
	if ctx.Err() != nil || st.stopped {
		return
	}
	st.stopped = true
	st.yield(follow.Event{}, &fault.Error{
		Op: "remote.Events", On: st.link.Address, Kind: fault.Unavailable, Err: errors.New("the connection to the server is lost: " + fault.Message(lost)),
		Hint: "to continue: sidestick chat --connect " + shellword.Quote(st.link.Address) + " --resume " + shellword.Quote(st.id),
	})
}

// attach enters the session on a new connection.
func (st *stream) attach(ctx context.Context, failed *client.Client) error {
	c, err := st.link.connected(ctx, failed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	on, err := c.ResumeSession(ctx, st.again)
	if err != nil {
		return st.link.refused("session.resume", err)
	}
	st.mu.Lock()
	st.client, st.on = c, on
	st.mu.Unlock()
	return nil
}

// sleep waits; false if ctx has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
