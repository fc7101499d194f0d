// Package wiring turns a configuration into the parts of the runtime: the event logs,
// the model client, the sessions with their tools and permission rules, and the server
// for programs on the SDKs. It is the one package below the commands that knows all of
// them.
//
//   - parts.go: [Build] makes [Parts]; closing them.
//   - provider.go: which provider, model or agent answers; sources.go: all that could.
//   - startlocal.go: how the servers of models that are installed here are started.
//   - keys.go: the keys of providers that the environment does not have.
//   - certificates.go: whom connections to models trust, and how this program shows who it is.
//   - tape.go: recordings of model calls.
//   - copilot.go: where the Copilot API of an account is.
//   - permissions.go: the permission rules of the command line; rulenames.go: those that
//     name no tool.
//   - confinement.go: whether and how commands are confined.
//   - tools.go: the list of built-in tools; which secrets no tool sees. servers.go: how MCP
//     servers start, and [Local], what files configure, for commands that need no runtime.
//   - sandbox.go: what starts sandboxes.
//   - panics.go: which records of the log the user of a command sees.
//   - signer.go: the key that signs calls to Copilot Extensions agents.
//   - inprocess.go: a client of the server inside this process.
//   - stored.go, readonly.go: stored sessions, opened for reading by commands that run
//     beside a server.
package wiring
