// Package server is the door for programs written on the GitHub Copilot SDKs:
// JSON-RPC over stdin and stdout or over TCP. It translates and routes, nothing
// else: parameters become commands of package session, faults become error
// codes, and the records of a session's tail become session.event notifications.
//
// A connection is in conn.go: it decides, in order of arrival, what each message
// is, and holds the sessions that its client is attached to; order.go keeps the
// commands of one session in their order. The methods stand
// in one table in methods.go and are carried out in one file per family
// (connect.go, sessions.go, messages.go, eventlog.go, answers.go, state.go,
// metadata.go, workspace.go, tools.go). What clients may
// call and this server lacks is in unimplemented.go, with the reason.
//
// What a client can rely on:
//
//   - Requests are handled side by side, except that commands to the same
//     session (send, abort, log, …) take effect in the order they were sent.
//   - A session's events arrive in the order of its log, from the create or
//     resume on, possibly before the answer to it.
//   - A slow client delays nobody but itself: what it has not read yet waits in
//     its session's tail, where text is merged, or is read from the log again.
//   - With a connection token set, no method but connect works before a connect
//     that brings it, and that within 30 seconds.
//   - Nothing that a client does or leaves makes a queue here grow without end: see
//     package jsonrpc for a connection, [eventlog.Tail] for a session. A client that
//     vanishes is noticed (vanish.go), one that is slow is not hurried.
package server
