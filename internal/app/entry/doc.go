// Package entry enters sessions for the commands at a terminal: it makes the runtime, opens the session
// that the flags name, and passes on what the runtime asks of the user. The line mode (package chat) and
// the terminal interface (package front) use it; neither reading events nor asking is done here.
//
//   - settings.go: the flags of `run` and `chat`.
//   - runtime.go: the runtime of a command, from its begin to its end; the terminal, Ctrl-C, retries.
//   - session.go: the session that the flags name.
//   - peer.go: calls of the session that need the user, such as ask_user.
//   - export.go: writing a session to a file.
//   - failure.go: errors and failed runs, as the user reads them.
package entry
