// Package cell has the rows of a conversation in the terminal interface (package tui): it takes
// the events of a session in their order, and makes a cell of each message, tool call, sub-agent,
// question and notice. It knows no session, no terminal and no clock: the caller passes in the time.
//
// [Conversation] is the whole. [Conversation.Take] returns the rows that have become final; they
// are written to the scrollback, and never change. [Conversation.Live] returns the rows of what
// still grows, and [Conversation.Activity] says what happens now.
//
//   - conversation.go: [Conversation]; queue.go: the order in which cells become final.
//   - events.go: what each event does to the conversation. run.go: the begin and the end of a run.
//   - message.go: messages of the user, answers and reasoning. text.go: an answer that streams.
//   - call.go: tool calls; output.go: their last lines and changes; agent.go,
//     agentevents.go: sub-agents; job.go: commands that continue in the background.
//   - question.go: questions and who has allowed what; note.go: notices of one or a few rows.
//   - activity.go: [Activity], the line of what happens now.
//   - status.go: [Status], the status line; context.go: [Context], what fills the context window.
//   - full.go: [Transcript], the whole conversation for the pager, from the log; [Source].
//   - resume.go: [Conversation.Resume], the last exchange of a session that is opened again.
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
