package extension

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// maxChunk bounds the text of one chunk, in bytes. The time that gh-debug-cli takes grows
// with the square of an event's length: 0.07 s for 1 KiB, 12 s for 16 KiB.
const maxChunk = 1 << 10

// Writer writes one answer. It is safe for concurrent use; the output of one call stays
// together.
//
// Text is sent immediately. References, a confirmation and errors are kept until the agent
// returns, and follow the text: some clients show none of them if text comes afterwards.
//
// All methods fail with [ErrUnavailable] once the client has disconnected, which also
// ends the agent's context. They fail with [ErrInvalid] once the answer is over, because
// the agent has returned or reached its time limit.
type Writer struct {
	id   string
	head []byte          // a chunk up to its delta
	cut  func(err error) // ends the agent's context

	mu     sync.Mutex // guards the rest; held while an event is written
	out    *sse.Writer
	last   time.Time // time of the last write
	err    error     // the final error; nil while the answer can be written
	half   halves    // joins the text of the calls
	buf    bytes.Buffer
	enc    *json.Encoder // writes to buf
	ending ending
}

// newWriter returns the Writer of one answer to out. id and model are sent in all its
// chunks.
func newWriter(out io.Writer, id, model string, cut func(error)) *Writer {
	w := &Writer{id: id, cut: cut, out: sse.NewWriter(out), last: time.Now()}
	w.enc = json.NewEncoder(&w.buf)
	w.enc.SetEscapeHTML(false)
	w.head = fmt.Appendf(nil, `{"id":%s,"object":"chat.completion.chunk","created":%d,"model":%s,"choices":[{"index":0,"delta":`,
		quote(id), w.last.Unix(), quote(model))
	return w
}

// Text writes a part of the answer, as Markdown, in one chunk. It writes nothing for the
// empty string, and U+FFFD for invalid UTF-8. If s ends within a UTF-8 character, the bytes
// of that character are kept until its rest is written. Text longer than 1 KiB is split into
// several chunks, since some clients are slow with long ones.
func (w *Writer) Text(s string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text(w.half.join(s))
}

// Write writes text as [Writer.Text] does, for use with fmt.Fprintf.
func (w *Writer) Write(p []byte) (int, error) {
	if err := w.Text(string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// endText ends a text whose characters are joined.
func (w *Writer) endText() {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.text(w.half.rest()) // an error is kept
}

// text writes s in as few chunks as clients can read.
func (w *Writer) text(s string) error {
	for w.err == nil && s != "" {
		n := len(s)
		if n > maxChunk {
			n = whole(s[:maxChunk])
		}
		w.begin(`{"content":`)
		w.string(s[:n])
		w.buf.WriteByte('}')
		w.end("null")
		s = s[n:]
	}
	return w.err
}

// begin begins a chunk and its delta.
func (w *Writer) begin(delta string) {
	w.buf.Reset()
	w.buf.Write(w.head)
	w.buf.WriteString(delta)
}

// string appends a JSON string.
func (w *Writer) string(s string) {
	_ = w.enc.Encode(s)             // neither a string nor a buffer fails
	w.buf.Truncate(w.buf.Len() - 1) // removes the newline of Encode
}

// end ends the chunk, with finish_reason as JSON, and writes it.
func (w *Writer) end(reason string) {
	w.buf.WriteString(`,"finish_reason":`)
	w.buf.WriteString(reason)
	w.buf.WriteString(`}]}`)
	w.send("", w.buf.Bytes())
}

// send writes one event, unless an earlier write failed. It keeps the error.
func (w *Writer) send(name string, data []byte) {
	if w.err == nil {
		w.wrote(w.out.Send(sse.Event{Name: name, Data: data}))
	}
}

// wrote records the time of a write, or its error.
func (w *Writer) wrote(err error) {
	w.last = time.Now()
	if err != nil {
		w.err = fault.New(fault.Unavailable, "extension.Write", "", "the client has disconnected: %w", err)
		w.cut(w.err)
	}
}

// acknowledge writes the first chunk, which has the role and lets clients show that the
// agent has started.
func (w *Writer) acknowledge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(`{"role":"assistant","content":""}`)
	w.end("null")
}

// beat writes a comment if nothing was written for a while, and returns the time until the
// next one is due.
func (w *Writer) beat(every time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := every - time.Since(w.last); wait > 0 {
		return wait
	}
	if w.err == nil {
		w.wrote(w.out.Comment("working"))
		w.send("", nil) // an empty line, for readers that look only at the first line of a block
	}
	return every
}

// finish ends the answer, once: held events, a chunk with finish_reason stop, and [DONE].
// The failure of an agent is added to the errors.
func (w *Writer) finish(failure *Fault, oneEvent bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.text(w.half.rest()) // an error is kept
	if failure != nil {
		w.ending.failed(*failure)
	}
	for _, e := range w.ending.events(oneEvent) {
		w.send(e.Name, e.Data)
	}
	w.begin(`{"content":null}`)
	w.end(`"stop"`)
	w.send("", []byte("[DONE]"))
	if w.err == nil {
		w.err = fault.New(fault.Invalid, "extension.Write", "", "the answer is over")
	}
}

// over returns an error if the answer cannot be written any more.
func (w *Writer) over() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
