// Package server serves programs written on the GitHub Copilot SDKs, over JSON-RPC on stdin and
// stdout or TCP. Most of it translates and routes: parameters become commands of package session,
// faults become error codes, and the records of a session's tail become session.event
// notifications. Three parts have state of their own: the GitHub accounts of its home, the
// model calls that a client makes for its sessions, and the interests in events that a connection
// has registered.
//
// A new method is a line in the table of methods.go, a function in the file of its family, and
// a conversation in testdata/wire. Its parameters are in wire/sdkparams.go if the SDK has the
// method, else in wire/params.go or in the file of its family there (queueparams.go, managed.go
// and so on). Delete its name from unimplemented.go or previews.go. If the schema of the SDK
// does not have the method, add it to the list in methods_test.go.
//
// What a client can rely on:
//
//   - Requests are handled concurrently, except that commands to the same session (send,
//     abort, log, …) take effect in the order in which they were sent.
//   - A session's events arrive in the order of its log, beginning with the create or
//     resume, possibly before the answer to it.
//   - A slow client delays only itself: what it has not read yet waits in its session's
//     tail, where text is merged, or is read from the log again.
//   - With a connection token set, no method works before a connect with the token, which
//     must come within 30 seconds.
//   - No client can make a queue grow without bound: see package jsonrpc for a connection
//     and [eventlog.Tail] for a session.
//   - A client that vanishes is noticed; a client that is slow is not disconnected.
package server
