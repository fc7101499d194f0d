// Package offer keeps which tools a session can offer the model, and what is made of their
// definitions: the check of a call's arguments, and the definition as the model gets it. Which of
// these tools the model is offered with a request is decided in package session.
//
// Each source of tools ([tool.Source]) has a [List], which is read again when the source has
// changed. [Builtins] is the source of this program's own tools; the clients of a session and package
// mcp have the others. A source uses a [Signal] to announce its changes. Tools that no
// provider accepts are noted in an [Unfit].
package offer
