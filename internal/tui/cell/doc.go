// Package cell has the rows of a conversation in the terminal interface (package tui): it takes
// the events of a session in their order, and makes a cell of each message, tool call, sub-agent,
// question and notice. It knows no session, no terminal and no clock: the caller passes in the time.
//
// [Conversation] is the whole. [Conversation.Take] returns the rows that have become final; they
// are written to the scrollback, and never change. [Conversation.Live] returns the rows of what
// still grows, and [Conversation.Activity] says what happens now.
//
// # To change something
//
// The row of an event: its kind and its text are those of package timeline, which the line mode
// and transcripts use, too. The functions take and row choose the cell by the kind, and each cell
// has its rows; an event of a sub-agent goes to the cell of its agent. A script in
// testdata/scripts.txtar shows it: `go test ./internal/tui/cell -update` writes the golden files,
// and the difference is to be read.
//
// The status line: a field of [Status] and its part in status.go (parts), which has the order in which parts
// are left out. What events say is filled in by [Conversation.Status]; the rest by tui/draw.go (status), from
// tui.Description for what the session says when it is entered (app/front/embedded.go and attached.go,
// Describe). The line of what happens now is activity.go.
//
// A setting of the conversation: a field of [Options]; app/front/front.go (options) fills it in from package
// config.
//
// # Order
//
// Messages and notices become final in the order in which they come, above what still runs. Tool
// calls become final in the order in which they began: a finished call waits for those before it.
// When more than three wait, the first of them goes ahead; its number shows its place. A sub-agent
// or a command that continues in the background stays below, and becomes a row when it ends.
//
// # Memory
//
// A cell is forgotten when its rows were taken. The pager reads the log again.
package cell
