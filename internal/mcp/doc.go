// Package mcp connects a session to servers of the Model Context Protocol (MCP): programs and
// web services that offer tools and resources. It speaks the protocol through the official Go
// SDK, and is the only package that imports it.
//
// A [Set] is the servers of one session and a [tool.Source]: the tools of all servers that are
// connected. The [Host] is the session as its servers need it.
//
// # What always holds
//
//   - A server never delays another server or the session. Each has a goroutine of its own; the
//     methods of a Set that package session calls on its own goroutine return at once. A run
//     waits for servers that are starting in [Set.Await], at most [AwaitTime].
//   - A server connects and lists its tools within [StartTime], or its state is failed.
//   - A server that is a program is started by a keeper, a second process of this program: it
//     kills the server and everything that the server has started as soon as the server is
//     stopped, the session ends, or this process dies in any way, kill -9 included. In a
//     sandbox, the keeper of the sandbox does that.
//   - What a server sends is bounded: the length of a message, the messages in 10 seconds, the
//     number of tools, the length of error output that is kept. A server that exceeds the first
//     two is ended. Lines on standard output that are not messages are skipped.
//   - A server has one connection after the other (life.go). A tool is called on the one that the server has now, if
//     it has the same definition there. What may have been carried out is repeated only if it changes nothing more.
//   - A server cannot keep a call: the call ends with its time limit, or with the run, whether
//     the server reacts or not.
//
// # To add a transport
//
// config.go (parse) reads its name and what belongs to it, and connection.go (transport) makes it,
// from a file beside stdio.go and remote.go. The rest treats a server as a program or as a web
// service (config.local): a web service gets credentials by signin.go (dialRemote), and probe.go
// (hello) asks it over HTTP whether it wants a token. connection.go (bounded) counts the messages
// of each transport; how long one may be, and how many bytes may come, is bounded in the file of
// the transport, as remote.go (metered, limited) and lines.go do. The command that writes
// configurations is app/mcpcmd/add.go (configuration); package session knows no transports. A
// module that it needs has a line in arch_test.go and a reason in docs/decisions/0003-dependencies.md.
//
// # To ask for something else
//
// What a server may ask the session for is a method of [Asker], and a function that has the SDK
// accept the request (askable, and samplable of sampling.go). The comment of package session says
// how the question reaches the user, under "What an MCP server asks for".
package mcp
