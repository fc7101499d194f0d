package chat

import (
	"bytes"
	"fmt"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// decoder reads one answer: the chunks of a stream, or a whole one.
type decoder struct {
	merger
	scan chunkScanner
}

// Event takes one data line. "[DONE]" is the end.
func (d *decoder) Event(name string, data []byte) (done bool, err error) {
	c, ok := d.scan.scan(data)
	if !ok {
		if string(bytes.TrimSpace(data)) == "[DONE]" {
			return true, nil
		}
		if c, err = decodeChunk(data); err != nil {
			return false, fmt.Errorf("the stream holds something else than JSON: %s", model.Excerpt(data, 120))
		}
	}
	if c.Err != nil || name == "error" {
		return false, model.ReportedError(data)
	}
	return false, d.add(c)
}

// Complete reports whether a choice has said why it ended; "[DONE]" may be missing then.
func (d *decoder) Complete() bool { return d.finished() }

// Whole takes an answer that is not a stream.
func (d *decoder) Whole(data []byte) error {
	c, err := decodeChunk(data)
	if err != nil || c.Err == nil && len(c.Choices) == 0 {
		return model.ErrNoAnswer
	}
	if c.Err != nil {
		return model.ReportedError(data)
	}
	return d.add(c)
}

// Response returns the answer, nil if no choice has appeared.
func (d *decoder) Response() *model.Response {
	if len(d.branches) == 0 {
		return nil
	}
	return d.response()
}
