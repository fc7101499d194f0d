package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// maxLine bounds one message, in bytes. A picture of a screen is a few MiB.
const maxLine = 16 << 20

// Bounds of what a server may send in floodTime besides the answers to requests.
const (
	floodTime     = 10 * time.Second
	floodMessages = 20_000
	floodBytes    = 64 << 20
)

// meter counts what a server sends that nobody has requested. The zero value is ready. It is
// not safe for concurrent use.
type meter struct {
	since           time.Time // the beginning of the window in which it counts
	count, received int
}

// counts counts one message, and returns an error if there are too many.
func (m *meter) counts(size int) error {
	if now := time.Now(); now.Sub(m.since) > floodTime {
		*m = meter{since: now}
	}
	m.count, m.received = m.count+1, m.received+size
	if m.count > floodMessages || m.received > floodBytes {
		return fmt.Errorf("it sent more than %d messages, or %d MiB, within %v that were not requested", floodMessages, floodBytes>>20, floodTime)
	}
	return nil
}

// messages reads the messages that a server prints, one on each line, and skips what is no
// message: many programs print remarks on standard output. It implements [io.ReadCloser] for
// the SDK, which would give up the connection.
type messages struct {
	from  io.ReadCloser
	broke func(error) // is called with what ends the reading before the server has ended
	lines *bufio.Reader
	bound jsonrpc.Bounds
	skip  io.Writer // gets the lines that are skipped
	ready []byte    // of the current message, what has not been read
	err   error     // what ended the reading; only the SDK's goroutine reads
	meter meter
	heard func(message []byte) // called with each message; nil: nobody wants to know
}

func newMessages(from io.ReadCloser, skip io.Writer, broke func(error)) *messages {
	return &messages{
		from: from, broke: broke, lines: bufio.NewReaderSize(from, 64<<10), skip: skip,
		bound: jsonrpc.Bounds{Limit: func() int { return maxLine }, Skips: 1}, // a server that sends more is ended
	}
}

// Read implements [io.Reader].
func (m *messages) Read(p []byte) (int, error) {
	for len(m.ready) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		m.ready, m.err = m.next()
	}
	n := copy(p, m.ready)
	m.ready = m.ready[n:]
	return n, nil
}

// Close implements [io.Closer].
func (m *messages) Close() error { return m.from.Close() }

// next returns the messages of the next line, nil if it has none.
func (m *messages) next() ([]byte, error) {
	frame, err := jsonrpc.Lines().Read(m.lines, &m.bound)
	if fault.KindOf(err) == fault.Invalid {
		err = fmt.Errorf("it sent a message of more than %d MiB", maxLine>>20)
		m.broke(err)
	}
	if err != nil {
		return nil, err
	}
	line := bytes.TrimSpace(frame.Body)
	if len(line) == 0 {
		return nil, nil
	}
	if line[0] == '[' && deep(line) {
		m.broke(errLevels)
		return nil, errLevels
	}
	var out []byte
	for _, one := range split(line) {
		one, err := notTooDeep(one)
		if err != nil {
			m.broke(err)
			return nil, err
		}
		kind := kindOf(one)
		if kind != response {
			if err := m.meter.counts(len(one)); err != nil {
				m.broke(err)
				return nil, err
			}
		}
		if kind != noise && m.heard != nil {
			m.heard(one)
		}
		if kind == noise {
			_, _ = m.skip.Write(append(bytes.Clone(one), '\n')) // a tail, which takes everything
			continue
		}
		out = append(append(out, one...), '\n')
	}
	return out, nil
}

// split returns the messages of a batch, or the line itself.
func split(line []byte) [][]byte {
	if line[0] != '[' {
		return [][]byte{line}
	}
	var batch []json.RawMessage
	if json.Unmarshal(line, &batch) != nil {
		return [][]byte{line}
	}
	all := make([][]byte, len(batch))
	for i, one := range batch {
		all[i] = one
	}
	return all
}

// kind says what a line is.
type kind uint8

const (
	noise    kind = iota // not a message
	request              // or a notification
	response             // to a request of this program
)

func kindOf(line []byte) kind {
	if line[0] != '{' {
		return noise
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	switch err := json.Unmarshal(line, &m); {
	case err != nil || m.Version != "2.0":
		return noise
	case m.Method != nil:
		return request
	case len(m.ID) > 0 && string(m.ID) != "null" && (m.Result != nil || m.Error != nil):
		return response
	}
	return noise
}

// tail keeps the end of what is written to it, for error messages. It is safe for concurrent
// use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// maxTail bounds what a tail keeps, in bytes: some lines of a stack trace.
const maxTail = 2 << 10

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-maxTail):]...)
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// String returns the last lines, without a line that is cut off.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.text)
	if len(text) == maxTail {
		if _, rest, cut := strings.Cut(text, "\n"); cut && rest != "" {
			text = rest
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(text, "?"))
}
