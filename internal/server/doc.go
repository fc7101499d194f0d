// Package server serves programs written on the GitHub Copilot SDKs, over JSON-RPC on stdin
// and stdout or TCP. Most of it translates and routes: parameters become commands of package
// session, faults become error codes, and the records of a session's tail become session.event
// notifications. Three parts have state of their own: the GitHub accounts of the process
// (accounts.go, github.go), the model calls that a client makes for its sessions
// (inference.go), and the interests in events that a connection has registered (interests.go).
//
//   - server.go: accepting connections; conn.go: one connection, which decides, in the order
//     of arrival, what to do with each message, and holds the sessions that its client is
//     attached to
//   - order.go: the order of the commands of one session; relay.go: sending events; peer.go:
//     calling the client; vanish.go, vanish_linux.go, vanish_other.go: noticing a client that
//     has vanished
//   - methods.go: the table of all methods; forms.go: the forms of their functions;
//     parameters.go: reading parameters, writing results and errors
//   - unimplemented.go: the methods that clients may call and this server does not have, with
//     the reasons; previews.go: those of newer SDKs. docs/missing.md is generated from them
//
// Each family of methods has a file:
//
//   - stored sessions: administration.go, clientmetadata.go, opening.go, persisted.go
//   - sessions: sessions.go, state.go, metadata.go, attribution.go, workspace.go,
//     compaction.go, rewind.go, eventlog.go with selection.go, storage.go
//   - messages and the queue: messages.go, queue.go, commands.go, schedule.go, shell.go
//   - agents, tools and skills: agents.go, tasks.go, tools.go, skills.go, instructions.go,
//     hooks.go, plugins.go
//   - MCP servers: mcp.go, mcpauth.go, mcpapps.go, mcpconfig.go
//   - permissions and questions: permissions.go, sandbox.go, questions.go, answers.go,
//     interests.go, canvas.go
//   - models: providers.go, known.go, inference.go with socket.go
//   - the process: connect.go, identity.go, accounts.go, auth.go, github.go, usersettings.go,
//     telemetry.go, and remote.go (methods about the GitHub service and about extensions,
//     which are not here)
//
// A new method is a line in the table of methods.go, a function in the file of its family, and
// a conversation in testdata/wire. Its parameters are in wire/sdkparams.go if the SDK has the
// method, else in wire/params.go or in the file of its family there (queueparams.go, managed.go,
// sessionfs.go and so on). Delete its name from unimplemented.go or previews.go. If the
// schema of the SDK does not have the method, add it to the list in methods_test.go.
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
