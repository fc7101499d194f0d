// Package timeline turns a session's events into what a person reads: one [Row] an
// event, so that the terminal, the console and a transcript say the same of the
// same log.
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
// arguments. What a row means is its [Kind]; a face shows the kinds it has a place
// for and passes over the rest. [Title] alone says what a tool call does,
// [ReadRequest] and [Request] what somebody is asked to permit, and [Brief] what one
// line of a list of raw events shows.
//
// Logs come from anywhere. Events of unknown types, data that is not what it should
// be and calls that never began give rows with less in them, and never an error.
// Title and Body are safe to print: what would steer a terminal is U+FFFD in them
// ([Harmless]). How wide text is, in columns, is in width.go.
package timeline
