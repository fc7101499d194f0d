// Package timeline turns a session's events into text for the user: one [Row] for each
// event, so that the terminal and transcripts show the same log in the
// same way.
//
// A [Reader] is fed events in the order of the log and returns their rows:
//
//	var r timeline.Reader
//	for e := range events {
//		row := r.Add(e)
//		...
//	}
//
// It needs the order because a tool's completion names neither the tool nor its
// arguments. The meaning of a row is its [Kind]; a display shows only the kinds that
// it needs.
//
// Logs come from anywhere. Events of unknown types, malformed data and calls that never
// began give rows with less in them, and never an error. Title and Body are safe to
// print: [Harmless] replaces characters that control a terminal. [Exposed] shows
// text that a model wrote for a machine.
package timeline
