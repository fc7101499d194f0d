// Package follow follows the runs of a session for a user interface, the terminal or the web
// server. It reads the events from the session's tail and passes on the answer's text as it
// streams, each piece once and in order, until the run is idle. It also keeps the result of
// the run.
//
//   - reader.go: [Reader] turns records of a tail into events.
//   - follower.go: [Follower] follows one run after the other; a [Display] gets
//     the text and the events.
//   - text.go: joins the pieces of a streaming message and its complete text without gaps or
//     repeats.
//   - overlap.go: [Overlap] recognizes events that were read with the log already.
//   - outcome.go: [Outcome]: idle, aborted or failed, and the cost.
//
// A user interface uses it like this:
//
//	r := follow.NewReader(client.Tail())
//	f.Begin(id) // of the message that it has sent
//	err := f.Follow(r.Events(ctx), display)
//
// Requests to the user (permissions, ask_user, plans) are events too. An interface that can
// ask its user directly does so in Event. Another returns from Follow and calls it again
// when it has the answer.
package follow
