package extension

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// maxChunk bounds the text of one chunk, in bytes. gh-debug-cli takes a time that grows
// with the square of an event: 0.07 s for 1 KiB, 12 s for 16 KiB.
const maxChunk = 1 << 10

// Writer writes one answer. It is safe for concurrent use; what one call writes
// stays together.
//
// Text goes out at once. References, a confirmation and errors are kept until the
// agent returns, and follow the text: some clients show neither if text comes after
// them.
//
// All methods fail with [fault.Unavailable] once the person has gone, which also ends
// the agent's context, and with [fault.Invalid] once the answer is over: after the
// agent has returned, or its time has.
type Writer struct {
	id   string
	head []byte          // of a chunk, up to its delta
	cut  func(err error) // ends the agent's context

	mu     sync.Mutex // guards the rest; held while an event is written
	out    *sse.Writer
	last   time.Time // when something was written
	err    error     // final
	half   string    // of a character whose other bytes have not been written yet
	buf    bytes.Buffer
	enc    *json.Encoder // to buf
	ending ending
}

// newWriter returns the Writer of one answer to out. The id and model are in all its
// chunks.
func newWriter(out io.Writer, id, model string, cut func(error)) *Writer {
	w := &Writer{id: id, cut: cut, out: sse.NewWriter(out), last: time.Now()}
	w.enc = json.NewEncoder(&w.buf)
	w.enc.SetEscapeHTML(false)
	w.head = fmt.Appendf(nil, `{"id":%s,"object":"chat.completion.chunk","created":%d,"model":%s,"choices":[{"index":0,"delta":`,
		quote(id), w.last.Unix(), quote(model))
	return w
}

// Text writes a piece of the answer, as one chunk; Markdown is shown as such. Nothing
// is written for the empty string, and U+FFFD for what is not UTF-8. A piece longer
// than 1 KiB becomes several, since there are clients that are slow with long ones.
func (w *Writer) Text(s string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.flushHalf(); err != nil {
		return err
	}
	return w.text(s)
}

// Write writes text, as [Writer.Text], for fmt.Fprintf and the like. A character that
// p ends in the middle of waits for its other bytes.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.half + string(p)
	n := whole(all)
	w.half = strings.Clone(all[n:])
	if err := w.text(all[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// whole returns how long s is without a character that is cut off at its end.
func whole(s string) int {
	for i := len(s) - 1; i >= 0 && i > len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return i
			}
			break
		}
	}
	return len(s)
}

// flushHalf writes a character of which nothing more will come.
func (w *Writer) flushHalf() error {
	half := w.half
	w.half = ""
	return w.text(half)
}

// text writes s in as few chunks as clients take.
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

// begin begins a chunk and the delta in it.
func (w *Writer) begin(delta string) {
	w.buf.Reset()
	w.buf.Write(w.head)
	w.buf.WriteString(delta)
}

// string adds a JSON string.
func (w *Writer) string(s string) {
	_ = w.enc.Encode(s)             // neither a string nor a buffer fails
	w.buf.Truncate(w.buf.Len() - 1) // Encode ends the line
}

// end ends the chunk, with a reason in JSON why nothing follows, and writes it.
func (w *Writer) end(reason string) {
	w.buf.WriteString(`,"finish_reason":`)
	w.buf.WriteString(reason)
	w.buf.WriteString(`}]}`)
	w.send("", w.buf.Bytes())
}

// send writes one event, unless an earlier one failed. It keeps the error.
func (w *Writer) send(name string, data []byte) {
	if w.err == nil {
		w.wrote(w.out.Send(sse.Event{Name: name, Data: data}))
	}
}

// wrote notes that something was written, or why it was not.
func (w *Writer) wrote(err error) {
	w.last = time.Now()
	if err != nil {
		w.err = fault.New(fault.Unavailable, "extension.Write", "", "the person has gone: %w", err)
		w.cut(w.err)
	}
}

// acknowledge writes the first chunk, which says whose words will follow and lets
// clients show that the agent is at work.
func (w *Writer) acknowledge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(`{"role":"assistant","content":""}`)
	w.end("null")
}

// beat writes a comment if nothing was written for a time, and returns how long it is
// to the next.
func (w *Writer) beat(every time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wait := every - time.Since(w.last); wait > 0 {
		return wait
	}
	if w.err == nil {
		w.wrote(w.out.Comment("working"))
		w.send("", nil) // an empty line, for readers that look at the first of a block only
	}
	return every
}

// finish ends the answer, once: what is kept, a chunk that says stop, and the mark of
// the end. Of an agent that failed, the failure is among the errors.
func (w *Writer) finish(failure *Fault, oneEvent bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.flushHalf() // it is kept
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

// over reports why nothing can be written any more.
func (w *Writer) over() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
