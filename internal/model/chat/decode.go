package chat

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// decoder reads one answer: the chunks of a stream, or a whole one.
type decoder struct {
	merger
	scan    chunkScanner
	request *model.Request
}

// newDecoder returns a decoder of the answer to a request.
func newDecoder(ep *model.Endpoint, r *model.Request, emit func(model.Delta)) model.Decoder {
	d := &decoder{request: r, merger: merger{emit: emit, native: mannersOf(ep).native, formed: r.Format != nil}}
	if !d.native && len(r.Tools) > 0 {
		d.tools = r.Tools
	}
	return d
}

// Event takes one data line. "[DONE]" is the end.
func (d *decoder) Event(name string, data []byte) (done bool, err error) {
	c, ok := d.scan.scan(data)
	if !ok {
		if string(bytes.TrimSpace(data)) == "[DONE]" {
			d.ended = true
			return true, nil
		}
		if c, err = decodeChunk(data); err != nil {
			if isErrorList(data) {
				return false, model.ReportedError(data)
			}
			return false, fmt.Errorf("the stream holds something else than JSON: %s", model.Excerpt(data, 120))
		}
	}
	if c.Err != nil || name == "error" {
		return false, model.ReportedError(data)
	}
	if p := c.Progress; p != nil {
		d.request.Reading(model.Tokens(p.Processed), model.Tokens(p.Total))
	}
	if err := d.add(c); err != nil {
		return false, err
	}
	if d.failed() {
		return false, &model.Error{Code: "error", Type: "server_error", Message: "the provider ended the answer with an error, and did not say which"}
	}
	return false, nil
}

// isErrorList reports whether data is a list with an error, as Gemini sends errors.
func isErrorList(data []byte) bool {
	var list []struct {
		Error json.RawMessage `json:"error"`
	}
	return json.Unmarshal(data, &list) == nil && len(list) > 0 && model.NonNull(list[0].Error) != nil
}

// Complete reports whether a choice has said why it ended; "[DONE]" may be missing then.
func (d *decoder) Complete() bool { return d.finished() }

// Whole takes an answer that is not a stream.
func (d *decoder) Whole(data []byte) error {
	c, err := decodeChunk(data)
	if isErrorList(data) {
		return model.ReportedError(data)
	}
	if err != nil || c.Err == nil && len(c.Choices) == 0 {
		return model.ErrNoAnswer
	}
	if c.Err != nil {
		return model.ReportedError(data)
	}
	d.ended = true
	return d.add(c)
}

// Stopped says that this program has stopped the answer: a thought then remains one, and calls that came as text are
// none. Nothing more of it is passed on.
func (d *decoder) Stopped() { d.stopped, d.emit = true, nil }

// Response returns the answer, nil if no choice has appeared.
func (d *decoder) Response() *model.Response {
	if len(d.branches) == 0 {
		return nil
	}
	d.endText()
	return d.response()
}
