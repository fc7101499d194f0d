// Package follow follows the runs of a session for a user interface, the terminal or the web
// server. It reads the events from the session's tail and passes on the answer's text as it
// streams, each piece once and in order, until the run is idle. It also keeps the result of
// the run.
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
//
// Begin with [Reader], [Follower] and [Display].
package follow
