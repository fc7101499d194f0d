// Package sse reads and writes server-sent events, the text/event-stream of
// models, agents and our own HTTP tails.
//
// # Format
//
// A stream is lines, ended by \n, \r or \r\n in any mixture. An empty line ends an
// event. Any other is a field: a name, and after a colon and one optional space its
// value. A line that begins with a colon is a comment.
//
//	event: delta         the name, at most one counts, the last
//	id: 17               where to resume, see [Reader.LastEventID]
//	retry: 3000          how long to wait before resuming, in milliseconds
//	data: two lines      the data, lines joined by \n
//	data: of text
//
// Other fields are ignored. An event without a data line is not delivered, though
// its id counts.
//
// # Where this differs from a browser
//
// The stream's end within an event is an error here, since a model's answer that
// was cut off must not pass for a whole one. Lines and events are bounded. Bytes
// that are not UTF-8 pass as they are. A retry of 0 is taken for none.
//
// Source: WHATWG HTML, section 9.2.6 "Interpreting an event stream".
package sse

import "time"

// Event is one message of a stream. All fields are optional.
type Event struct {
	// Name says what kind of event it is. Empty: browsers call it "message".
	Name string
	// ID is what this event itself gave as its id, see [Reader.LastEventID].
	ID string
	// Data is the payload, without the newline of its last line. Nil, as opposed
	// to empty, is an event without a data line, which no reader delivers.
	Data []byte
	// Retry is how long the reader should wait before it connects again. 0: not
	// said. The wire carries whole milliseconds.
	Retry time.Duration
}
