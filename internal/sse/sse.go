// Package sse reads and writes server-sent events (text/event-stream), as models, agents
// and our own HTTP endpoints send them.
//
// # Format
//
// A stream consists of lines, each ended by \n, \r or \r\n in any mixture. An empty line
// ends an event. Any other line is a field: a name, and after a colon and one optional
// space its value. A line that begins with a colon is a comment.
//
//	event: delta         the name of the event; if repeated, the last one counts
//	id: 17               where to resume, see [Reader.LastEventID]
//	retry: 3000          how long to wait before resuming, in milliseconds
//	data: two lines      the data; lines are joined by \n
//	data: of text
//
// Other fields are ignored. An event without a data line is not delivered, but its id
// counts.
//
// # Differences from a browser
//
// If the stream ends within an event, that is an error here, because an incomplete answer
// of a model must not be mistaken for a complete one. Lines and events are bounded. Bytes
// that are not UTF-8 are passed on unchanged. A retry of 0 is ignored.
//
// Source: WHATWG HTML, section 9.2.6 "Interpreting an event stream".
//
// Begin with [Event], [Reader] and [Writer].
package sse

import "time"

// Event is one message of a stream. All fields are optional.
type Event struct {
	// Name is the kind of event. Empty: browsers call it "message".
	Name string
	// ID is the id in this event itself; see [Reader.LastEventID].
	ID string
	// Data is the payload, without the newline of its last line. nil, in contrast to
	// empty, means no data line; readers do not deliver such an event.
	Data []byte
	// Retry is how long the reader should wait before it connects again, sent in whole
	// milliseconds. 0: not given.
	Retry time.Duration
}
