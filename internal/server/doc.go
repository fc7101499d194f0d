// Package server serves programs written on the GitHub Copilot SDKs, over JSON-RPC on stdin
// and stdout or TCP. It only translates and routes: parameters become commands of package
// session, faults become error codes, and the records of a session's tail become
// session.event notifications.
//
// server.go accepts connections. conn.go is one connection: it decides, in order of
// arrival, what to do with each message, and holds the sessions that its client is
// attached to; order.go keeps the commands of one session in their order, relay.go sends
// events, peer.go calls the client, and vanish.go (with vanish_linux.go and vanish_other.go) notices a client that has vanished. All
// methods are in one table in methods.go, in the forms of forms.go, whose parameters and errors parameters.go reads and
// writes; each family of them has a file: administration.go (stored sessions, with
// clientmetadata.go, opening.go and persisted.go), accounts.go and auth.go (GitHub accounts, with
// github.go), agents.go, answers.go, canvas.go, commands.go, compaction.go, connect.go (with identity.go), eventlog.go
// (with selection.go), hooks.go, inference.go, instructions.go, interests.go, mcp.go with mcpauth.go, mcpapps.go and
// mcpconfig.go, messages.go, metadata.go (with attribution.go), permissions.go, plugins.go,
// providers.go, questions.go, queue.go, remote.go (what the GitHub service and extensions would do),
// rewind.go, sandbox.go, schedule.go, sessions.go, shell.go, skills.go, state.go, storage.go, tasks.go, telemetry.go, tools.go,
// usersettings.go and workspace.go. unimplemented.go lists the methods that clients may
// call and this server does not have, with the reason; docs/missing.md is made of it. A new method is a line in the table
// of methods.go, a function in the file of its family, and a conversation in testdata/wire;
// its parameters are in wire/sdkparams.go if the SDK has the method, else in wire/params.go or in
// the file of its family there (queueparams.go, managed.go, sessionfs.go and so on);
// its name leaves unimplemented.go (or previews.go, for methods of newer SDKs); methods_test.go knows the methods that the SDK's schema
// does not have.
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
