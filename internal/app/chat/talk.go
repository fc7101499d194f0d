package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/ask"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// talk is a person's side of a session: it shows what happens, and asks them what is
// to be decided. It is a door like the server: it sends its commands to the session
// and ranges over the session's tail, so that an output which is read slowly holds up
// nobody. One goroutine, which the methods run on, shows and asks; while a question is
// open, what else happens waits to be shown.
type talk struct {
	parts  *wiring.Parts
	client *session.Client
	show   show.Printer
	ask    *ask.Asker // nil if there is nobody to ask
	peer   *terminalPeer
	// interrupts is where Ctrl-C comes: the first aborts the run, the second leaves.
	interrupts <-chan os.Signal
	unasked    func(q timeline.Request) // told once what a rule could have allowed; may be nil

	reader  timeline.Reader
	records chan heard
	held    []heard // that came while a question was open
	hearing sync.WaitGroup
	hangUp  context.CancelFunc
	told    bool // what became of a compaction; events of it may still come

	run
}

// heard is an event as the session told it.
type heard struct {
	line   []byte
	missed bool // ephemeral ones before it are gone
	err    error
}

// errLeft ends a command at once: somebody pressed Ctrl-C twice.
var errLeft = fmt.Errorf("%w", cli.ErrAborted)

// errClosed ends a talk whose session has left: another client of it has closed it.
var errClosed = errors.New("the session was closed while its answer was under way")

// abortWait bounds how long an aborted run is waited for: the session has to cancel a
// request, to end what tools have started and to write two events.
const abortWait = 5 * time.Second

// takeInterrupts takes Ctrl-C over from the process, whose own answer to it is to end:
// here a person decides what it stops. restore drops it.
func takeInterrupts() (interrupts <-chan os.Signal, restore func()) {
	c := make(chan os.Signal, 2)
	signal.Reset(os.Interrupt)
	signal.Notify(c, os.Interrupt)
	return c, func() { signal.Stop(c) }
}

// begin starts to listen to a session.
func (t *talk) begin(c *session.Client) {
	ctx, cancel := context.WithCancel(context.Background())
	t.client, t.hangUp, t.records = c, cancel, make(chan heard)
	t.reader = timeline.Reader{}
	t.hearing.Go(func() { t.hear(ctx) })
}

// end stops listening, which lets the session go.
func (t *talk) end() {
	t.hangUp()
	t.hearing.Wait()
	t.client.Tail().Close() // a log is closed when its last reader has left
	t.held = nil
}

// hear hands over the events, on a goroutine of its own.
func (t *talk) hear(ctx context.Context) {
	defer close(t.records)
	var missed uint64
	for rec, err := range t.client.Tail().Records(ctx) {
		h := heard{err: err}
		if err == nil {
			h.line = rec.AppendJSON(nil)
		}
		if n := t.client.Tail().Missed(); n != missed {
			missed, h.missed = n, true
		}
		select {
		case t.records <- h:
		case <-ctx.Done():
			return
		}
	}
}

// say sends a prompt and follows the run that answers it to its end. The error is
// [cli.ErrAborted] if somebody stopped it, [errLeft] if they did not wait for that, and
// otherwise what failed.
func (t *talk) say(ctx context.Context, m wire.Send) error {
	t.show.Begin()
	for {
		t.run = run{}
		id, err := t.client.Session().Send(context.WithoutCancel(ctx), m)
		if err != nil {
			return err
		}
		t.message = id
		if err := t.toItsEnd(ctx); err != nil || t.correction == "" {
			return err
		}
		m.Prompt = t.correction // a refusal has ended the run: what they said instead is the next prompt
	}
}

// rejoin is say for a run that is under way: one that an earlier process left with a
// question open, which is asked now.
func (t *talk) rejoin(ctx context.Context, mode string) error {
	t.show.Begin()
	t.run = run{said: true}
	if err := t.toItsEnd(ctx); err != nil || t.correction == "" {
		return err
	}
	return t.say(ctx, wire.Send{Prompt: t.correction, AgentMode: mode})
}

// toItsEnd follows a run and returns what became of it.
func (t *talk) toItsEnd(ctx context.Context) error {
	if err := t.follow(ctx); err != nil {
		_ = t.show.Finish() // it failed already, or does as err says
		return err
	}
	return errors.Join(t.show.Finish(), t.run.err())
}

// follow shows what happens until the session is idle.
func (t *talk) follow(ctx context.Context) error {
	var late <-chan time.Time
	stop := ctx.Done()
	for !t.idle {
		if t.stopping && late == nil {
			late = time.After(abortWait)
		}
		if len(t.held) > 0 {
			h := t.held[0]
			t.held = t.held[1:]
			if err := t.handle(ctx, h); err != nil {
				return err
			}
			continue
		}
		select {
		case h, ok := <-t.records:
			if !ok {
				return errClosed
			}
			if err := t.handle(ctx, h); err != nil {
				return err
			}
		case c := <-t.peer.calls:
			t.serve(ctx, c)
		case <-t.interrupts:
			if t.stopping {
				return errLeft
			}
			t.abort()
		case <-stop:
			stop = nil
			t.abort()
		case <-late:
			return cli.ErrAborted
		}
	}
	return nil
}

// abort stops the run; its events say when that has happened.
func (t *talk) abort() {
	if t.stopping {
		return
	}
	t.stopping = true
	ctx, cancel := context.WithTimeout(context.Background(), abortWait)
	defer cancel()
	_ = t.client.Session().Abort(ctx, "user_initiated") // if it cannot, the run has ended
}

// handle shows an event, learns from it, and asks what it asks.
func (t *talk) handle(ctx context.Context, h heard) error {
	if h.missed {
		t.show.Missed()
	}
	switch {
	case errors.Is(h.err, eventlog.ErrClosed):
		return errClosed
	case h.err != nil:
		return h.err
	}
	e, err := wire.ParseEvent(h.line)
	if err != nil {
		return err
	}
	row := t.reader.Add(e)
	t.learn(e, row)
	if t.told = t.told && !t.said; t.told && row.Kind == timeline.Compaction {
		return nil
	}
	if err := t.show.Event(e, row, h.line); err != nil {
		return err
	}
	q, ok := timeline.ReadRequest(e)
	switch {
	case ok && !q.ResolvedBy && t.ask != nil && !t.stopping:
		return t.permission(ctx, q)
	case ok:
		t.remember(q)
	case timeline.Unanswerable(e) && t.unasked != nil:
		t.unasked(t.asked[wire.Raw(e.Data).Get("requestId").Text()])
		t.unasked = nil
	}
	return nil
}
