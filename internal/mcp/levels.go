package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxNesting bounds the levels of objects and lists in one message. An answer that the decoder of
// the SDK refuses for its depth would be taken for noise, and its call would wait for the time limit. The
// schemas of tools, which are the deepest JSON in use, may have as many levels; see package
// model/schema.
const maxNesting = 512

// errLevels has the number of [maxNesting] as text, because formatting it would be code that runs at the start of the program.
var errLevels = errors.New("it sent a message with more than 512 levels of JSON")

// nesting counts the levels of JSON, one byte after the other. The zero value is before the
// beginning.
type nesting struct {
	open            int
	quoted, escaped bool
}

// tooDeep takes one more byte, and reports whether there are more than [maxNesting] levels.
func (l *nesting) tooDeep(c byte) bool {
	switch {
	case l.escaped:
		l.escaped = false
	case l.quoted:
		l.escaped, l.quoted = c == '\\', c != '"'
	case c == '"':
		l.quoted = true
	case c == '{' || c == '[':
		l.open++
	case (c == '}' || c == ']') && l.open > 0:
		l.open--
	}
	return l.open > maxNesting
}

// deep reports whether JSON has more than [maxNesting] levels.
func deep(data []byte) bool {
	var l nesting
	for _, c := range data {
		if l.tooDeep(c) {
			return true
		}
	}
	return false
}

// outermost is a message without its inner objects and lists, each of which becomes null.
func outermost(message []byte) (flat []byte) {
	var l nesting
	for _, c := range message {
		before := l.open
		l.tooDeep(c)
		switch {
		case before < 2 && l.open < 2:
			flat = append(flat, c)
		case before < 2: // the inner value begins
			flat = append(flat, "null"...)
		}
	}
	return flat
}

// shallowed returns what the SDK reads instead of a message that is too deep: an error, if it is
// the answer to a request. If it is not, there is none.
func shallowed(message []byte) (answer []byte, ok bool) {
	flat := outermost(message)
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if kindOf(flat) != response || json.Unmarshal(flat, &m) != nil {
		return nil, false
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, m.ID, errLevels.Error()), true
}

// shallow is the body of an answer, or a stream of events, whose reading fails where a message
// becomes too deep.
type shallow struct {
	io.ReadCloser
	events bool // it is a stream of events: only the lines with data are JSON
	levels nesting
	column int  // bytes of the line so far, at most those of [dataField]
	other  bool // the line is no data
}

const dataField = "data:"

// Read implements [io.Reader].
func (s *shallow) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	for i, c := range p[:n] {
		if s.isJSON(c) && s.levels.tooDeep(c) {
			return i, errLevels
		}
	}
	return n, err
}

// isJSON takes one more byte, and reports whether it belongs to a message.
func (s *shallow) isJSON(c byte) bool {
	switch {
	case !s.events:
		return true
	case c == '\n':
		if s.column == 0 && !s.other { // an empty line ends the event
			s.levels = nesting{}
		}
		s.column, s.other = 0, false
		return false
	case c == '\r':
		return false
	case s.column < len(dataField):
		s.other = s.other || c != dataField[s.column]
		s.column++
		return false
	}
	return !s.other
}

// notTooDeep returns a message or, if it is too deep, an error for the request that it answers;
// it fails if it answers none.
func notTooDeep(message []byte) ([]byte, error) {
	if len(message) <= maxNesting || message[0] != '{' || !deep(message) {
		return message, nil
	}
	if answer, ok := shallowed(message); ok {
		return answer, nil
	}
	if kindOf(outermost(message)) == noise { // it is skipped like other text
		return message, nil
	}
	return nil, errLevels
}
