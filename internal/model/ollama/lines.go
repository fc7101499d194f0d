package ollama

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

// lines reads a stream of JSON, a document in each line.
type lines struct {
	body *bufio.Reader
	most int
	read int64
	buf  []byte // the line, if it is longer than the buffer of body
}

func newLines(body io.Reader, most int) model.Events {
	return &lines{body: bufio.NewReader(body), most: most}
}

// Bytes returns how many bytes the lines so far have.
func (l *lines) Bytes() int64 { return l.read }

// Next returns the next line. The last one may lack its end. Empty lines have no data.
func (l *lines) Next() (sse.Event, error) {
	l.buf = l.buf[:0]
	for {
		piece, err := l.body.ReadSlice('\n')
		l.read += int64(len(piece))
		if len(l.buf)+len(piece) > l.most {
			return sse.Event{}, &fault.Error{Op: "ollama.lines", Kind: fault.Invalid, Err: fmt.Errorf("a line is longer than %d bytes", l.most)}
		}
		whole := len(l.buf) == 0 && err == nil
		switch {
		case whole:
			return sse.Event{Data: bytes.TrimSpace(piece)}, nil
		case err == nil, errors.Is(err, io.EOF) && len(l.buf)+len(piece) > 0:
			l.buf = append(l.buf, piece...)
			return sse.Event{Data: bytes.TrimSpace(l.buf)}, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return sse.Event{}, err
		}
		l.buf = append(l.buf, piece...)
	}
}
