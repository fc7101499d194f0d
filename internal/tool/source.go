package tool

// Source is where tools come from: the program itself, a client, or the MCP servers of a session.
// It is safe for concurrent use.
type Source interface {
	// Tools returns the tools that the source has now, in the order in which a model is
	// offered them. The caller does not modify the slice.
	Tools() []Tool
	// Changed returns a channel that is closed when Tools returns other tools, or tools
	// that describe themselves otherwise, than it did when Changed was called; nil if
	// that never happens. Call it before Tools, so that no change is missed.
	Changed() <-chan struct{}
}
