// Package journal is the log of a session as the session's goroutine writes it: it claims the log,
// removes secrets from events, records them, applies them to the state, and sends them. It
// also brings commands to that goroutine.
//
// [New] makes a [Journal] around an open stream of a log. Whoever owns it implements [Host],
// runs what [Journal.Mail] brings on one goroutine, and waits there for [Journal.Lost] and
// [Journal.Spare], too. A Journal implements [state.Recorder], by which the other packages below a
// session know it.
//
// # What always holds
//
//   - An event is in the log before it is sent to any client and before it changes the state.
//   - Nothing is recorded while another process may write the log, or after a write has failed.
//   - Each event that is recorded has the one before it in the log as its parent, and each
//     ephemeral event the last one that was sent before it.
//   - A secret that the process knows is in no event, except for one that a client has chosen
//     as a setting and that a resume needs.
package journal
