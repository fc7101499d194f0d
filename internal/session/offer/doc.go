// Package offer keeps which tools a session can offer the model, and what is made of their
// definitions: the check of a call's arguments, and the definition as the model gets it. Which of
// these tools the model is offered with a request is decided in package session (tools.go).
//
// Each source of tools ([tool.Source]) has a [List], which is read again when the source has
// changed. [Builtins] is the source of this program's own tools; the clients of a session and package
// mcp have the others. A source uses a [Signal] to announce its changes.
//
// # Files
//
//   - list.go: [List] and [Tool], the tools of one source
//   - sheets.go: [Sheets], what is made of each definition once for all sessions of a process
//   - builtins.go: [Builtins], the built-in tools of a session as a source
//   - signal.go: [Signal]
package offer
