// Package remote is a session of a running server, as a user interface uses one: over the JSON-RPC
// protocol, with what package session offers in the same process. It shows nothing.
//
//   - link.go: [Link], the connection. Every call has a bound; errors of the server become
//     [fault.Error].
//   - open.go: [Link.Create] and [Link.Resume]; choose.go: which session a user means, and the other
//     stored sessions.
//   - session.go: [Session], and what is known of it.
//   - stream.go: the events of a session in order, each persisted one once, also over a lost
//     connection; missed.go: what was missed meanwhile.
//   - asked.go: the questions of the session that are open, as [Call] values.
//   - permission.go: what an approval can cover, and answers to permission requests.
//   - send.go: messages, the queue, and commands of the user's shell.
//   - operate.go: what package operate does with a session of this process.
package remote
