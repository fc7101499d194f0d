// Package follow follows the runs of a session for a door: it reads the events of the
// session's tail and passes on the answer's text as it streams, each piece once and in
// order, until the run is idle. It also keeps what the run has come to.
//
//   - reader.go: [Reader] turns records of a tail into events.
//   - follower.go: [Follower] follows one run after the other; a [Display] gets the text
//     and the events of the runs.
//   - text.go: the pieces of a streaming message and its complete text become one text
//     without gaps or repeats.
//   - outcome.go: [Outcome]: idle, aborted or failed, and how much it took.
//
// A door does this with it:
//
//	r := follow.NewReader(client.Tail())
//	f.Begin(id) // of the message that it has sent
//	err := f.Follow(r.Events(ctx), display)
//
// Questions (permissions, ask_user, plans) are events too. A display that can ask its
// user at once does so in Event; one that cannot stops there, and continues later.
package follow
