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
	// writeTimeout bounds the time to write one event to the connection. A client that reads
	// nothing for this long counts as disconnected.
	writeTimeout = 30 * time.Second

	// maxMessage bounds the text of an agent's error, in bytes.
	maxMessage = 4 << 10
)

// errTimeout ends the context of an agent that reached its time limit.
var errTimeout = errors.New("the time limit of the answer is over")

// NewHandler returns a handler that runs the agent once for each POST request.
//
// GET gets a line of text, other methods get 405. A request is refused with a status and a
// line of text only before the answer begins: 413 if it is too long, 408 if it arrives too
// slowly, 401 if the platform did not sign it, 503 if the signature cannot be checked now or
// if other requests take all of MaxBodies, 400 if it cannot be decoded, 403 if it is for another agent.
//
// Otherwise the status is 200 and the body is text/event-stream: a first chunk immediately;
// the agent's text, with comments while it is silent; then references, errors and
// confirmation; a chunk with finish_reason stop; and [DONE]. The last two are sent even if
// the agent fails.
//
// The agent runs on the goroutine of the HTTP request. If it keeps running after its context
// has ended, it blocks that goroutine; the answer to the client has ended anyway.
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
	share := h.bodies.Share(freeBody)
	defer share.GiveAll()
	body, ok := h.admit(w, r, share)
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

// isOurs returns an error if the request is for another agent, as far as the request says.
func (h *handler) isOurs(r *Request) error {
	clientID := fields(r.Rest)["client_id"]
	if h.Slug != "" && !strings.EqualFold(r.Agent, h.Slug) || h.ClientID != "" && (!isString(clientID) || text(clientID) != h.ClientID) {
		return refusal{http.StatusForbidden, fault.New(fault.Denied, "extension", "", "the request is for another agent")}
	}
	return nil
}

// answer runs the agent, and sends the beginning and the end of its answer.
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

// model returns the model name for chunks. No client shows it, but some require one.
func (h *handler) model() string {
	if h.Slug != "" {
		return h.Slug
	}
	return "agent"
}

// attend starts sending heartbeats, and ends the answer when the time limit is reached. The
// returned function stops both and waits until they have stopped.
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

// tend sends heartbeats until the agent returns or its context ends.
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
	if context.Cause(ctx) == errTimeout { // even if the agent ignores the end of its context
		h.Logger.Warn("agent took too long", "answer", w.id, "limit", h.Timeout)
		message := fmt.Sprintf("The agent took longer than %v and was stopped.", h.Timeout)
		w.finish(&Fault{Type: FaultAgent, Code: "timeout", Message: message, Identifier: w.id}, h.OneEvent)
	}
}

// run runs the agent and returns the error to show to the user, nil for none.
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

// clipped returns message, shortened to maxMessage bytes.
func clipped(message string) string {
	message = strings.TrimSpace(message)
	if len(message) > maxMessage {
		message = message[:whole(message[:maxMessage])] + "…"
	}
	return message
}

// timedWriter sets a new deadline for each write.
type timedWriter struct {
	io.Writer
	control *http.ResponseController
}

func newTimedWriter(w http.ResponseWriter) *timedWriter {
	return &timedWriter{Writer: w, control: http.NewResponseController(w)}
}

// Write implements [io.Writer]. Without a connection, as in tests, there is no deadline.
func (w *timedWriter) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	return w.Writer.Write(p)
}

// FlushError is called by [sse.Writer]. A connection that cannot flush sends everything when
// the answer ends.
func (w *timedWriter) FlushError() error {
	if err := w.control.Flush(); !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// release removes the deadline from the connection, for its next request.
func (w *timedWriter) release() { _ = w.control.SetWriteDeadline(time.Time{}) }
