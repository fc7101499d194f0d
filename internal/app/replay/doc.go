// Package replay is `sidestick replay`: it sends the messages of a finished session to another model,
// in a new session, and prints both side by side.
//
//   - replay.go: the command, and the new session
//   - exchange.go: a message of the user with everything that follows it, read from events
//   - columns.go: printing two of them side by side
//
// Recordings of model calls (--record and --replay) have nothing to do with it; they are in
// internal/model/tape.
package replay
