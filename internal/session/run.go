package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// run is one run of the loop on its own goroutine, and its [turn.Host]: what it
// wants of the session it posts to the mailbox, except the ephemeral pieces of a
// streaming answer, which go straight to the log.
type run struct {
	s         *Session
	cancel    context.CancelFunc
	ended     chan struct{} // closed when the run is over and its idle was told
	id        string        // groups its model calls for the provider
	wish      wish          // what the run was started with
	headers   map[string]string
	streaming bool
	endpoint  turnEndpoint

	mu       sync.Mutex // guards the rest
	muted    bool       // aborted: nothing more of the answer is told
	progress time.Time  // of the last streaming_delta
}

// launch starts a run. It is called on the session's goroutine.
func (s *Session) launch(headers map[string]string) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &run{
		s: s, id: wire.NewID(), cancel: cancel, ended: make(chan struct{}), headers: headers, streaming: s.streaming,
		wish: wish{s.provider, s.model, s.override},
	}
	s.run = r
	s.reg.running.Add(1)
	go r.work(ctx)
}

// work is the goroutine of the run.
func (r *run) work(ctx context.Context) {
	defer r.s.reg.running.Done()
	defer r.cancel()
	out := r.loop(ctx)
	_ = r.s.post(context.Background(), func() error { r.s.finished(r, out); return nil })
}

func (r *run) loop(ctx context.Context) turn.Outcome {
	ep, err := r.s.reg.resolve(ctx, r.wish)
	if ctx.Err() != nil {
		return turn.Outcome{Aborted: true}
	}
	if err != nil {
		return turn.Outcome{Err: err}
	}
	r.endpoint = ep
	return turn.Run(ctx, r, ep)
}

// stop aborts the run; what of its answer is still under way is not told. It
// reports whether this was the call that did it.
func (r *run) stop() (first bool) {
	r.mu.Lock()
	first, r.muted = !r.muted, true
	r.mu.Unlock()
	r.cancel()
	return first
}

// stopped reports whether the run was aborted.
func (r *run) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.muted
}

var errNotRecorded error = &fault.Error{
	Op: "session", Kind: fault.Unavailable, Err: errors.New("the run ended before the result could be recorded"),
}

// finished ends the run: the next message in the queue starts the next loop, or
// the error and the idle are told, idle last. It runs on the session's goroutine.
func (s *Session) finished(r *run, out turn.Outcome) {
	s.resumed = false
	if s.broken != nil && out.Err == nil && !r.stopped() {
		out = turn.Outcome{Err: s.broken}
	}
	for _, w := range s.expected { // the run did not come to them
		s.dismiss(w)
	}
	s.expected = nil
	for id := range s.kept { // their results could not be recorded
		s.acknowledge(id, cmp.Or(s.broken, out.Err, errNotRecorded))
	}
	if out.Err != nil {
		level := slog.LevelInfo // the clients are told, and it is theirs to act
		if len(s.clients) == 0 {
			level = slog.LevelWarn // nobody else hears of it
		}
		s.logs.Log(context.Background(), level, "a run failed", "err", out.Err)
		s.tell(failure(out.Err))
	}
	if !s.closing {
		if s.broken == nil && s.next() {
			close(r.ended)
			return
		}
		s.dropPending()
	}
	s.run = nil
	s.used = time.Now()
	s.say(&wire.AssistantIdle{Aborted: optional(out.Aborted)}, false)
	s.note()
	s.emit(&wire.SessionIdle{Aborted: optional(out.Aborted)})
	s.reg.watchers.tell(s.lifecycle(wire.LifecycleUpdated))
	close(r.ended)
}

// failure is an error as clients are told of it.
func failure(err error) *wire.SessionError {
	e := &wire.SessionError{ErrorType: "internal", Message: fault.Message(err)}
	if me := modelError(err); me != nil {
		e.ErrorType = me.Category()
		e.ErrorCode, e.ProviderCallID = optional(me.Code), optional(me.CallID)
		e.StatusCode = optional(int32(me.Status))
	} else if kind := fault.KindOf(err); kind != fault.Internal {
		e.ErrorType = map[fault.Kind]string{
			fault.Invalid: "configuration", fault.NotFound: "configuration", fault.Conflict: "conflict",
			fault.Denied: "authorization", fault.Unavailable: "unavailable", fault.Canceled: "canceled",
		}[kind]
	}
	return e
}

// Prompt implements [turn.Host]. The conversation is written out here, on the
// goroutine of the run: it may be long, and the oldest of it only in the log.
func (r *run) Prompt(ctx context.Context) (p turn.Prompt, err error) {
	var talk conversation // no call is open now, so what it holds does not change
	var system string
	err = r.s.post(context.WithoutCancel(ctx), func() error {
		p, system, err = r.s.prompt(ctx, r)
		talk = r.s.conversation
		return err
	})
	if err != nil {
		return p, err
	}
	entries, err := talk.all(r.s.log.Read(1))
	if err != nil {
		return p, err
	}
	if talk.gone > 0 {
		_ = r.s.post(context.WithoutCancel(ctx), func() error { r.s.regain(talk, entries); return nil })
	}
	p.Request.Messages = transcript(system, entries)
	return p, nil
}

// prompt puts together what the next turn sends, but for its messages, of which it
// returns the first.
func (s *Session) prompt(ctx context.Context, r *run) (p turn.Prompt, system string, err error) {
	if ctx.Err() != nil {
		return p, "", ctx.Err()
	}
	if err := s.steer(); err != nil {
		return p, "", err
	}
	system = s.systemMessage()
	if digest(system) != s.system {
		if err := s.record(&wire.SystemMessage{Role: "system", Content: system}); err != nil {
			return p, "", err
		}
	}
	p = turn.Prompt{
		TurnID: turnID(s.turns), ContextTokens: r.endpoint.contextTokens, BytesPerToken: s.ratio, Tools: map[string]turn.Offer{},
		Request: model.Request{
			Model: r.endpoint.model, Stream: r.streaming,
			ReasoningEffort: s.effort, Headers: r.headers, InteractionID: r.id, OnRetry: r.retrying,
		},
	}
	if s.history.model != "" && r.endpoint.named {
		p.Request.Model = s.history.model // switched during the run
	}
	for _, t := range s.offered() {
		p.Tools[t.def.Name] = turn.Offer{Tool: t, Schema: t.schema}
		p.Request.Tools = append(p.Request.Tools, model.Tool{Name: t.def.Name, Description: t.def.Description, Parameters: t.def.Parameters})
	}
	if s.resumed {
		s.resumed = false
		p.TurnID, p.Unfinished = s.openTurn, s.unfinished()
	}
	return p, system, nil
}

// offered are the tools of all attached clients that the filter lets through, in
// the order in which they came.
func (s *Session) offered() []*clientTool {
	var out []*clientTool
	for _, c := range s.clients {
		for _, t := range c.tools {
			if s.filter.Offers(t.def) {
				out = append(out, t)
			}
		}
	}
	return out
}

// unfinished are the calls that were open when the session was resumed. What one
// waits for, a permission or its result, any client can give, also if none that is
// attached brings its tool.
func (s *Session) unfinished() []turn.Unfinished {
	var out []turn.Unfinished
	for _, c := range s.open() {
		u := turn.Unfinished{Call: c.ToolCall, Started: c.started}
		if asked(s.external, c.ID) != "" || asked(s.permissions, c.ID) != "" {
			u.Tool = s.waitingFor(c.Name)
		}
		out = append(out, u)
	}
	return out
}

// waitingFor is the tool of a call that waits: the one that is on offer, which says
// whether its success ends the run, else only its name.
func (s *Session) waitingFor(name string) tool.Tool {
	for _, t := range s.offered() {
		if t.def.Name == name {
			return t
		}
	}
	return newClientTool(s, wire.Tool{Name: name})
}

// Record implements [turn.Host].
func (r *run) Record(events ...wire.Data) error {
	return r.s.post(context.Background(), func() error { return r.s.record(events...) })
}

// Emit implements [turn.Host].
func (r *run) Emit(data wire.Data) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.muted {
		r.s.say(data, false)
	}
}

// Delta implements [turn.Host].
func (r *run) Delta(t wire.EventType, key, text, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.muted {
		return
	}
	s := r.s
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	d := wire.NewDelta(t, s.out.last, key, text)
	d.Name = name
	s.log.EmitDelta(d)
}

// progressEvery thins out assistant.streaming_delta, which says only how far the
// download is: often enough for a progress bar, and no load beside the text.
const progressEvery = 100 * time.Millisecond

// Progress implements [turn.Host].
func (r *run) Progress(bytes int64, last bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.muted || !last && now.Sub(r.progress) < progressEvery {
		return
	}
	r.progress = now
	s := r.s
	s.out.mu.Lock()
	defer s.out.mu.Unlock()
	d := wire.NewDelta(wire.StreamingDelta, s.out.last, "", "")
	d.Size = bytes
	s.log.EmitDelta(d)
}

// Used implements [turn.Host].
func (r *run) Used(u turn.Usage) {
	_ = r.s.post(context.Background(), func() error { r.s.account(u); return nil })
}

// CallFailed implements [turn.Host].
func (r *run) CallFailed(c tool.Call, why string) {
	r.s.logs.Warn("a client's tool failed", "tool", c.Name, "call", c.ID, "why", why)
}

func (r *run) retrying(attempt int, wait time.Duration, err error) {
	r.s.logs.Warn("a model call is tried again", "attempt", attempt, "wait", wait, "err", err)
}
