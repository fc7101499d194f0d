package extension

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// Stream passes on a model's answer. It reads r, a body of server-sent chat completion
// chunks, to its end, and sends each delta unchanged in a chunk of this answer: with this
// answer's id, and without the model's final chunk and [DONE], so that the agent may write
// more. A character that is split over two deltas is sent with the second of them. Only the
// first choice counts. Chunks without content are left out. The caller closes
// r.
//
// The error is [ErrUnavailable] if the model reports a failure, if its stream ends too early, or
// if r fails; [ErrInvalid] if an event is not a chunk, or is larger than about 1 MiB; otherwise
// it is the error of the Writer. Text that was sent before the error stays
// in the answer.
func (w *Writer) Stream(r io.Reader) error {
	w.endText() // the model's text is another one than that of Text and Write
	defer w.endText()
	events := sse.NewReader(r, sse.Options{MaxEvent: 1 << 20})
	finished := false
	for {
		e, err := events.Next()
		switch {
		case errors.Is(err, io.EOF) && finished:
			return nil
		case errors.Is(err, io.EOF):
			return fault.New(fault.Unavailable, "extension.Stream", "", "the model's stream ended before its answer did: %w", io.ErrUnexpectedEOF)
		case err != nil:
			return err
		}
		data := bytes.TrimSpace(e.Data)
		if string(data) == "[DONE]" {
			return nil
		}
		stops, err := w.pass(data)
		if err != nil {
			return err
		}
		finished = finished || stops
	}
}

// modelChunk has the fields of a model's chunk that are used.
type modelChunk struct {
	Choices []struct {
		Index   int             `json:"index"`
		Delta   json.RawMessage `json:"delta"`
		Message json.RawMessage `json:"message"` // some servers send the whole answer in it
		Reason  string          `json:"finish_reason"`
	} `json:"choices"`
	Error json.RawMessage `json:"error"`
}

// pass passes on one chunk, and reports whether it is the last.
func (w *Writer) pass(data []byte) (stops bool, err error) {
	if err := w.over(); err != nil || len(data) == 0 {
		return false, err
	}
	var c modelChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, fault.New(fault.Invalid, "extension.Stream", "", "the model sent what is not a chunk: %s", shown(data))
	}
	if !isNull(c.Error) {
		return false, fault.New(fault.Unavailable, "extension.Stream", "", "the model failed: %s", reason(c.Error))
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		delta := choice.Delta
		if !isObject(delta) {
			delta = choice.Message
		}
		if err := w.delta(delta); err != nil {
			return false, err
		}
		stops = stops || choice.Reason != ""
	}
	return stops, nil
}

// reason returns the message of a model's error, or the whole error if it has no message.
func reason(raw []byte) string {
	var e struct {
		Message string `json:"message"`
	}
	if _ = json.Unmarshal(raw, &e); e.Message != "" {
		return clipped(e.Message)
	}
	return shown(raw)
}

// delta writes a chunk with a delta, unless the delta has no content.
func (w *Writer) delta(raw []byte) error {
	if !hasContent(raw) {
		return nil
	}
	line, err := object(bytes.ToValidUTF8(raw, []byte("\uFFFD")))
	if err != nil {
		return err
	}
	if len(line) > maxHeld { // the whole line would be longer than clients read
		return fault.New(fault.Invalid, "extension.Stream", "", "the model sent a chunk of %d bytes, of which %d are read at once", len(line), maxHeld)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if line = w.half.joinDelta(raw, line); hasContent(line) {
		w.begin(string(line))
		w.end("null")
	}
	return w.err
}

// joinDelta returns line, a delta, with the characters that are complete now. raw is the
// delta as it came. Almost always line is returned unchanged.
func (h *halves) joinDelta(raw, line []byte) []byte {
	content := fieldsOf(raw)["content"]
	if !isString(content) {
		return line
	}
	said := loose(content)
	if h.held == "" && whole(said) == len(said) {
		return line
	}
	var b []byte
	each(line, func(key, value []byte) bool {
		if text(key) == "content" {
			value = quote(h.join(said))
		}
		b = append(append(append(append(b, ','), key...), ':'), value...)
		return true
	})
	b[0] = '{'
	return append(b, '}')
}

// hasContent reports whether a delta has more than a role, and text that is empty or null.
func hasContent(raw []byte) (something bool) {
	if !isObject(raw) {
		return false
	}
	each(raw, func(key, value []byte) bool {
		something = text(key) != "role" && !isNull(value) && len(value) > len(`""`)
		return !something
	})
	return something
}
