// Package wiring turns a configuration into the parts of the runtime: the event logs,
// the model client, the sessions with their tools and permission rules, and the server
// for programs on the SDKs. It is the one package below the commands that knows all of
// them.
//
// Begin with [Build], [Parts] and [Local].
package wiring
