package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// completion writes an answer in OpenAI's form, as a stream or whole. It writes nothing
// before the agent's first text, so that an earlier failure can still have an HTTP
// status.
type completion struct {
	w       http.ResponseWriter
	control *http.ResponseController
	req     *chatRequest
	run     *chatRun

	whole strings.Builder // of an answer that does not stream

	mu     sync.Mutex  // guards the rest; held while an event is written
	events *sse.Writer // nil before the stream has begun
	last   time.Time   // time of the last write
	broken error       // the error of the first write that failed
}

// newCompletion returns the answer to a request; req and run may be nil if the request is
// refused.
func newCompletion(w http.ResponseWriter, req *chatRequest, run *chatRun) *completion {
	if req != nil && len(req.ignored) > 0 {
		w.Header().Set(ignoredHeader, ignoredNames(req.ignored))
	}
	return &completion{w: w, control: http.NewResponseController(w), req: req, run: run, last: time.Now()}
}

// chunk is one event of a stream.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   any      `json:"usage,omitempty"`
}

type choice struct {
	Index   int     `json:"index"`
	Delta   *part   `json:"delta,omitempty"`
	Message *part   `json:"message,omitempty"`
	Finish  *string `json:"finish_reason"`
}

type part struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

// text writes a piece of the answer.
func (c *completion) text(s string) error {
	if !c.req.stream {
		c.whole.WriteString(s)
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.begin(); err != nil {
		return err
	}
	return c.send(c.chunk("chat.completion.chunk", choice{Delta: &part{Content: &s}}))
}

// begin starts the stream, once.
func (c *completion) begin() error {
	if c.events != nil {
		return c.broken
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	c.events = sse.NewWriter(c.w)
	return c.send(c.chunk("chat.completion.chunk", choice{Delta: &part{Role: "assistant", Content: new("")}}))
}

func (c *completion) chunk(object string, choices ...choice) chunk {
	k := chunk{ID: c.run.id, Object: object, Created: c.run.created.Unix(), Model: modelName, Choices: choices}
	if choices == nil {
		k.Choices = []choice{}
	}
	return k
}

// pieceTime bounds how long the connection may take to accept one event. A client that
// reads nothing for so long is taken for dead.
const pieceTime = 30 * time.Second

// send writes one event.
func (c *completion) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.sendRaw(data)
}

func (c *completion) sendRaw(data []byte) error {
	if c.broken == nil {
		c.last = time.Now()
		_ = c.control.SetWriteDeadline(c.last.Add(pieceTime)) // fails only without a connection, as in tests
		c.broken = c.events.Send(sse.Event{Data: data})
	}
	return c.broken
}

// beatTime is the longest silence of a stream. Then a comment is sent, which clients
// skip, so that no proxy closes the connection while tools work.
const beatTime = 15 * time.Second

// attend sends those comments until stop is called; stop waits for the goroutine that
// sends them.
func (c *completion) attend() (stop func()) {
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(beatTime)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if fault.Guard("web.beat", func() error { c.beat(); return nil }) != nil {
					return // the writer is broken; the next write of the answer fails
				}
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		done.Wait()
	}
}

func (c *completion) beat() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.req.stream || time.Since(c.last) < beatTime || c.begin() != nil {
		return
	}
	c.last = time.Now()
	_ = c.control.SetWriteDeadline(c.last.Add(pieceTime)) // as above
	c.broken = c.events.Comment("working")
}

// finish ends the answer. err says why the answer is missing or incomplete.
func (c *completion) finish(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.control.SetWriteDeadline(time.Now().Add(pieceTime)) // as above
	defer func() { _ = c.control.SetWriteDeadline(time.Time{}) }()
	switch {
	case err != nil && c.events == nil:
		c.refuse(err)
	case err != nil:
		_ = c.send(map[string]any{"error": c.problem(err)}) // an error is kept in broken, here and below
	case c.req.stream:
		_ = c.begin()
		_ = c.send(c.chunk("chat.completion.chunk", choice{Delta: &part{}, Finish: c.run.finishReason()}))
		if c.req.usage {
			end := c.chunk("chat.completion.chunk")
			end.Usage = c.usage()
			_ = c.send(end)
		}
		_ = c.sendRaw([]byte("[DONE]"))
	default:
		text := c.whole.String()
		answer := c.chunk("chat.completion", choice{Message: &part{Role: "assistant", Content: &text}, Finish: c.run.finishReason()})
		answer.Usage = c.usage()
		writeJSON(c.w, http.StatusOK, answer)
	}
}

// retryAfter is how many seconds a client should wait before it repeats a request that
// came while too many others were answered, or while the program ended. It is short, because
// runs end at any time, and official clients wait longer with each try.
const retryAfter = "5"

// refuse answers with a status. A client that obeys X-Should-Retry, as OpenAI's do, does
// not repeat a request whose run has acted.
func (c *completion) refuse(err error) {
	status := statusOf(err)
	switch status {
	case http.StatusFailedDependency, http.StatusUnprocessableEntity:
		c.w.Header().Set("X-Should-Retry", "false")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		c.w.Header().Set("Retry-After", retryAfter)
	}
	writeJSON(c.w, status, map[string]any{"error": c.problem(err)})
}

// problem returns an error in OpenAI's form.
func (c *completion) problem(err error) map[string]any {
	r := explained(err)
	message := r.message
	var acted actedError
	if errors.As(err, &acted) {
		message += " (The agent had used tools before. A repeated request would use them again, so look first at what was done.)"
	}
	return chatError(statusOf(err), message, r.code, r.field)
}

func (c *completion) usage() map[string]int64 {
	in, put := c.run.tokens()
	return map[string]int64{"prompt_tokens": in, "completion_tokens": put, "total_tokens": in + put}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be encoded","type":"server_error"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client may have left
}
