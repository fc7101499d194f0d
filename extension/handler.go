package extension

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	// writeTimeout bounds how long one event takes to be accepted by the connection. Who
	// reads nothing for so long has gone.
	writeTimeout = 30 * time.Second

	// maxMessage bounds the text of an error that is not ours, in bytes.
	maxMessage = 4 << 10
)

// errTimeout ends the context of an agent whose time is over.
var errTimeout = errors.New("the time limit of the answer is over")

// NewHandler returns a handler that answers each request by one run of an agent.
//
// GET answers a line of text, and other methods but POST 405. A request is answered
// with a status of its own and a line of text only before the answer begins: 413 if
// it is too long, 408 if it comes too slowly, 401 if the platform did not sign it, 503
// if that cannot be told now, 400 if it cannot be decoded, 403 if it is for another
// agent. After that the status is 200 and the body text/event-stream: a first chunk at
// once, the agent's text, comments while it is silent, then what it has to show
// besides, a chunk that says stop, and [DONE]; those also if the agent fails.
//
// The agent runs on the request's own goroutine. One that goes on when its context
// has ended holds that; the person's answer has ended all the same.
func NewHandler(a Agent, o HandlerOptions) http.Handler {
	if a == nil {
		panic("extension: NewHandler with a nil Agent")
	}
	return &handler{guard: newGuard(o), agent: a}
}

type handler struct {
	guard
	agent Agent
}

// ServeHTTP implements [http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := h.admit(w, r)
	if !ok {
		return
	}
	request, err := ParseRequest(body)
	if err == nil {
		err = h.isOurs(request)
	}
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	request.Token, request.Header = r.Header.Get("X-GitHub-Token"), r.Header
	h.answer(w, r, request)
}

// isOurs reports whether a request is for this agent, as far as that is known.
func (h *handler) isOurs(r *Request) error {
	clientID := fields(r.Rest)["client_id"]
	if h.Slug != "" && !strings.EqualFold(r.Agent, h.Slug) || h.ClientID != "" && (!isString(clientID) || text(clientID) != h.ClientID) {
		return refusal{http.StatusForbidden, fault.New(fault.Denied, "extension", "", "the request is for another agent")}
	}
	return nil
}

// answer runs the agent, and begins and ends what it says.
func (h *handler) answer(rw http.ResponseWriter, r *http.Request, request *Request) {
	ctx, cut := context.WithCancelCause(r.Context())
	defer cut(context.Canceled)
	if h.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, h.Timeout, errTimeout)
		defer stop()
	}
	out := newTimedWriter(rw)
	defer out.release()
	header := rw.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	header.Set("X-Accel-Buffering", "no")
	rw.WriteHeader(http.StatusOK)

	w := newWriter(out, "chatcmpl-"+rand.Text(), h.model(), cut)
	w.acknowledge()
	stop := h.attend(ctx, w)
	failure := h.run(ctx, request, w)
	stop()
	w.finish(failure, h.OneEvent)
}

// model is the name in chunks. No client shows it, but some insist on one.
func (h *handler) model() string {
	if h.Slug != "" {
		return h.Slug
	}
	return "agent"
}

// attend sends heartbeats, and ends the answer when the agent's time is over, until
// the function that it returns is called, which waits for that.
func (h *handler) attend(ctx context.Context, w *Writer) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if err := fault.Guard("extension", func() error { h.tend(ctx, w, quit); return nil }); err != nil {
			h.Logger.Error("the heartbeats of an answer have ended", "answer", w.id, "err", err)
		}
	}()
	return func() { close(quit); <-done }
}

// tend returns when the agent has, or its context has ended.
func (h *handler) tend(ctx context.Context, w *Writer, quit <-chan struct{}) {
	var beat <-chan time.Time
	var timer *time.Timer
	if h.Heartbeat > 0 {
		timer = time.NewTimer(h.Heartbeat)
		defer timer.Stop()
		beat = timer.C
	}
	for working := true; working; {
		select {
		case <-beat:
			timer.Reset(w.beat(h.Heartbeat))
		case <-quit:
			working = false
		case <-ctx.Done():
			working = false
		}
	}
	if context.Cause(ctx) == errTimeout { // whatever the agent makes of it
		h.Logger.Warn("agent took too long", "answer", w.id, "limit", h.Timeout)
		message := fmt.Sprintf("The agent took longer than %v and was stopped.", h.Timeout)
		w.finish(&Fault{Type: FaultAgent, Code: "timeout", Message: message, Identifier: w.id}, h.OneEvent)
	}
}

// run runs the agent and returns what the person should know of its failure.
func (h *handler) run(ctx context.Context, r *Request, w *Writer) (failure *Fault) {
	defer func() {
		if p := recover(); p != nil {
			h.Logger.Error("agent panicked", "answer", w.id, "panic", p, "stack", string(debug.Stack()))
			failure = &Fault{Type: FaultAgent, Code: "internal", Message: "The agent failed. Its log says why.", Identifier: w.id}
		}
	}()
	err := h.agent(ctx, r, w)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // not a failure of the agent; a client that is still there must not take the answer for complete
		h.Logger.Debug("agent stopped", "answer", w.id, "why", context.Cause(ctx), "error", err)
		return &Fault{Type: FaultAgent, Code: "stopped", Message: "The agent was stopped before its answer was complete.", Identifier: w.id}
	}
	h.Logger.Warn("agent failed", "answer", w.id, "error", err)
	message := clipped(fault.Message(err))
	if message == "" {
		message = "The agent failed."
	}
	return &Fault{Type: FaultAgent, Code: "failed", Message: message, Identifier: w.id}
}

// clipped is a message that may be of any length, in a bounded one.
func clipped(message string) string {
	message = strings.TrimSpace(message)
	if len(message) > maxMessage {
		message = message[:whole(message[:maxMessage])] + "…"
	}
	return message
}

// timedWriter gives each write a time of its own.
type timedWriter struct {
	io.Writer
	control *http.ResponseController
}

func newTimedWriter(w http.ResponseWriter) *timedWriter {
	return &timedWriter{Writer: w, control: http.NewResponseController(w)}
}

// Write implements [io.Writer]. Without a connection, in tests, there is no deadline.
func (w *timedWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	return w.Writer.Write(p)
}

// FlushError is what [sse.Writer] looks for. What cannot be flushed is written when
// the answer ends.
func (w *timedWriter) FlushError() error {
	if err := w.control.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// release gives the connection back without a deadline, for its next request.
func (w *timedWriter) release() { _ = w.control.SetWriteDeadline(time.Time{}) }
