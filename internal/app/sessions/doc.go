// Package sessions is the command `sidestick sessions`, which reads and checks stored
// sessions. list, search, show, export and verify change nothing, so they work beside a running server.
package sessions
