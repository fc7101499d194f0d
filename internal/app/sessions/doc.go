// Package sessions is the command `sidestick sessions`, which reads and checks stored
// sessions. list, show and verify change nothing, so they work beside a running server.
//
//   - list.go: the command itself, and `sessions list`.
//   - show.go: `sessions show`; package show prints the transcript.
//   - verify.go, report.go: `sessions verify`: checking logs, and printing the result.
//   - import.go: `sessions import`: the log of another runtime becomes a session.
package sessions
