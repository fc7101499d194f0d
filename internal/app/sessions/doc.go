// Package sessions is the command `sidestick sessions`, which reads and checks stored
// sessions. list, search, show, export and verify change nothing, so they work beside a running server.
//
//   - list.go: the command itself, and `sessions list`.
//   - show.go: `sessions show`; package show prints the transcript.
//   - verify.go, report.go: `sessions verify`: checking logs, and printing the result.
//   - search.go: `sessions search`: words in titles and messages.
//   - export.go: `sessions export`; package export writes the file.
//   - change.go: `sessions rename` and `sessions rm`.
//   - import.go: `sessions import`: the log of another runtime becomes a session.
package sessions
