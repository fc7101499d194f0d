package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/ask"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// talk is the user's side of a session: it prints what happens, and asks the user what
// the session asks. It is a door like the server: it sends commands to the session and
// reads the session's tail, so that slow output holds up no other client. One goroutine,
// which the methods run on, prints and asks; while a question is open, it holds back the
// events that come.
type conversation struct {
	*entry.Runtime
	client *session.Client
	show   show.Printer
	ask    *ask.Asker // nil without a terminal to ask at
	// suspends says that a signal which ends the process leaves the run to the next resume of the
	// session. Otherwise it aborts the run: nobody waits for the answer any more.
	suspends bool
	// every is how often a line says that the run is under way, where nothing on the screen moves; 0
	// for never.
	every time.Duration
	since time.Time // when the run began to be followed, for that line
	// quiet says that nothing of a run is printed before its end.
	quiet bool
	// live draws what the model call waits for, every second; nil where nothing is drawn.
	live *show.Answer
	// interrupts yields Ctrl-C: the first aborts the run, the second leaves.
	interrupts <-chan os.Signal
	unasked    func(list []timeline.Request, r permit.Rules, b permit.Sandboxing) // called with the first request that no user could answer with the rules and the sandbox in force, and then with the others of each run; may be nil
	refused    func(t *conversation, call timeline.Row, r refusal)                // called with a call that was denied without a question; may be nil
	hinted     bool                                                               // unasked was, or will be, called with the first

	records   chan received
	held      []received // came while a question was open
	reading   sync.WaitGroup
	hangUp    context.CancelFunc
	reply     show.Reply // to the last prompt of the user
	took      spending   // by the runs since the last prompt of the user
	late      []string   // MCP servers of which the user knows that they are late
	compacted bool       // a compaction was printed; more events of it may come

	follow.Follower
	run
}

// received is an event, or the error that ended the tail.
type received struct {
	follow.Event
	err error
}

// The reasons why a session takes no message any more. Another client has closed it, during
// a run or before it, or another process has deleted it.
var (
	errClosed = errors.New("the session was closed while its answer was under way")
)

// abortWait bounds the wait for the end of an aborted run: the session has to cancel a
// request, to end the processes of tools and to write two events.
const abortWait = 5 * time.Second

// begin begins to read the events of a session.
func (t *conversation) begin(c *session.Client) {
	ctx, cancel := context.WithCancel(context.Background())
	t.client, t.hangUp, t.records = c, cancel, make(chan received)
	t.Follower = follow.Follower{Earlier: true}
	if t.live != nil {
		_ = c.Interest(ctx, wire.InterestWaiting) // else the session is closed
	}
	t.reading.Go(func() { t.read(ctx, follow.NewReader(c.Tail()).Events(ctx)) })
}

// end stops reading, which lets the session leave memory.
func (t *conversation) end() {
	t.hangUp()
	t.reading.Wait()
	t.client.Tail().Close() // a log is closed when its last reader has left
	t.held = nil
}

// read passes on the events, on a goroutine of its own. A panic, as of an event that this
// program cannot show, is passed on as the error of the last event.
func (t *conversation) read(ctx context.Context, events iter.Seq2[follow.Event, error]) {
	defer close(t.records)
	pass := func(h received) bool {
		select {
		case t.records <- h:
			return true
		case <-ctx.Done():
			return false
		}
	}
	err := fault.Guard("chat.read", func() error {
		for e, err := range events {
			if !pass(received{e, err}) {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		pass(received{err: err})
	}
}

// say sends a prompt and follows the run that answers it to its end. The error is
// [cli.ErrAborted] if the user stopped it, [entry.ErrLeft] if they did not wait for that, and
// otherwise the failure.
func (t *conversation) say(ctx context.Context, m wire.Send) error {
	t.show.Begin()
	t.took, t.reply = spending{}, show.Reply{}
	return t.converse(ctx, m)
}

// converse sends a prompt, and what the user writes with a denial, which is the next one.
func (t *conversation) converse(ctx context.Context, m wire.Send) error {
	for {
		t.run = run{}
		id, err := t.client.Session().Send(context.WithoutCancel(ctx), m)
		if err != nil {
			return t.inWords(err)
		}
		t.Begin(id)
		if err := t.toItsEnd(ctx); err != nil || t.correction == "" {
			return err
		}
		m.Prompt = t.correction // a denial has ended the run; what the user wrote with it is the next prompt
	}
}

// shortID is the id of the session as users see it.
func (t *conversation) shortID(ctx context.Context) string {
	return t.Parts.Sessions.Shortener(ctx)(t.client.Session().ID())
}

// continued is the title of the session, "" if it is new, and " (in FOLDER)" if it works in
// another folder than this process.
func (t *conversation) continued(ctx context.Context) (title, in string) {
	m, err := t.Parts.Sessions.Metadata(ctx, t.client.Session().ID())
	if err != nil || m == nil {
		return "", ""
	}
	if m.Context != nil && m.Context.Cwd != "" && !sameFolder(m.Context.Cwd, ".") {
		in = " (in " + timeline.OneLine(cli.Tilde(m.Context.Cwd), 2*terminal.Columns) + ")"
	}
	return m.Summary, in
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	other, otherErr := os.Stat(b)
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// rejoin is say for a run that is under way: an earlier process left it with a question
// open, which is asked now.
func (t *conversation) rejoin(ctx context.Context, mode string) error {
	t.show.Begin()
	t.took, t.run = spending{}, run{}
	t.Begin("")
	if err := t.toItsEnd(ctx); err != nil || t.correction == "" {
		return err
	}
	return t.converse(ctx, wire.Send{Prompt: t.correction, AgentMode: mode})
}

// toItsEnd follows a run until it is idle, and returns why it has failed.
func (t *conversation) toItsEnd(ctx context.Context) error {
	err := t.Follow(t.events(ctx), &runDisplay{t, ctx})
	t.took.add(spent(t.Outcome))
	if err != nil {
		if !t.leaves(ctx) {
			t.abort() // nobody follows the run any more; it may have ended
		}
		_ = t.show.Finish() // it failed already, or does as err says
		return err
	}
	if t.denied && t.correction == "" && t.Idle && !t.Aborted {
		if err := t.show.Note("run ended: you denied the request"); err != nil {
			return err
		}
	}
	return errors.Join(t.show.Finish(), t.failed(ctx))
}

// events yields the events that were held back, and then those that come. Meanwhile it
// answers calls of the session, and aborts the run when the user interrupts it or ctx ends; [conversation.suspends] has
// the signals that leave it to the next resume instead.
func (t *conversation) events(ctx context.Context) iter.Seq2[follow.Event, error] {
	return func(yield func(follow.Event, error) bool) {
		var late <-chan time.Time
		stop, slow := ctx.Done(), t.slowServers(ctx)
		tick, rest := t.ticks()
		defer rest()
		for {
			if t.stopping && late == nil {
				late = time.After(abortWait)
			}
			if len(t.held) > 0 {
				h := t.held[0]
				t.held = t.held[1:]
				if !yield(h.Event, closing(h.err)) {
					return
				}
				continue
			}
			select {
			case h, ok := <-t.records:
				if !ok {
					h.err = errClosed
				}
				if !yield(h.Event, closing(h.err)) {
					return
				}
			case c := <-t.Peer.Calls():
				t.serve(ctx, c)
			case r := <-t.Retries():
				if err := t.retried(r); err != nil {
					yield(follow.Event{}, err)
					return
				}
			case <-tick:
				if err := t.underWay(); err != nil {
					yield(follow.Event{}, err)
					return
				}
			case <-slow:
				slow = nil
				if err := t.waitsForServers(ctx); err != nil {
					yield(follow.Event{}, err)
					return
				}
			case <-t.interrupts:
				if t.stopping {
					yield(follow.Event{}, entry.ErrLeft)
					return
				}
				t.abort()
			case <-stop:
				stop, late = nil, t.signalled()
			case <-late:
				yield(follow.Event{}, cli.ErrAborted)
				return
			}
		}
	}
}

// leaves reports whether a signal ends the process, which leaves the run and its open question to the next
// resume.
func (t *conversation) leaves(ctx context.Context) bool {
	return t.suspends && ctx.Err() != nil && !t.stopping
}

// signalled ends the command, at once or after the run that it aborts: a signal asks for that.
func (t *conversation) signalled() (late <-chan time.Time) {
	if t.suspends {
		return time.After(0)
	}
	t.abort()
	return nil
}

// closing is err as the user reads it for a session that was closed.
func closing(err error) error {
	if errors.Is(err, eventlog.ErrClosed) {
		return errClosed
	}
	return err
}

// abort stops the run; its events report when it has stopped.
func (t *conversation) abort() {
	if t.stopping {
		return
	}
	t.stopping = true
	t.Count()
	ctx, cancel := context.WithTimeout(context.Background(), abortWait)
	defer cancel()
	_ = t.client.Session().Abort(ctx, "user_initiated") // if it cannot, the run has ended
}

// inWords is err, as the user reads it, if it says that the session is no longer open.
func (t *conversation) inWords(err error) error { return t.InWords(t.client.Session().ID(), err) }

// host is the host of the agent that is the session's model, "" if the model is no agent.
func (t *conversation) host() string {
	return operate.AgentHost(context.Background(), t.client.Session())
}

// plainEvery is how often a line says that the run is under way, at a terminal where text is only
// appended: a screen reader reads each line aloud.
const plainEvery = 30 * time.Second

// ticks yields the times at which such a line is due, or else those at which the row of a wait is drawn; stop
// releases the ticker.
func (t *conversation) ticks() (tick <-chan time.Time, stop func()) {
	every := t.every
	if every == 0 && t.live != nil {
		every = time.Second
	}
	if every == 0 {
		return nil, func() {}
	}
	t.since = time.Now()
	ticker := time.NewTicker(every)
	return ticker.C, ticker.Stop
}

// underWay prints that line, or draws that row.
func (t *conversation) underWay() error {
	if t.every == 0 {
		t.live.Tick(time.Now())
		return nil
	}
	return t.show.Progress(fmt.Sprintf("still working, %v so far; Ctrl-C stops it", time.Since(t.since).Round(time.Second)))
}
