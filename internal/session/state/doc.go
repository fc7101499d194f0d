// Package state holds the state of a session: its settings, its conversation and
// its queue, computed from the events of its log and from nothing else.
//
// The package is pure. It starts no goroutine, takes no lock and does no I/O; where
// older parts of a conversation are needed, the caller passes the records of the log.
// [State.Apply] is the only way to change a state, live and on replay alike,
// so a resumed session cannot differ from one that never stopped. Rebuild, Release and
// Restore change how much of the log a state holds in memory, and nothing else.
//
// A [State] has three parts:
//
//   - [Settings]: what clients chose and the log keeps (model, mode, name, folder,
//     approvals). Removing history does not change them.
//   - [Conversation]: the [Thread] of the main agent, the threads of sub-agents by
//     their agent id, and what belongs to them (open requests, offered tools). Rewind,
//     fork and clear replace it as one value.
//   - the queue: messages that were accepted and wait ([Queued]), and the schedule.
//
// # Files
//
// state.go has the state and the tables of which event changes what, but for the table of
// settings.go. The changes themselves are in settings.go (model, folder, mode, name, approvals, and
// applyInfo, which passes the session.info events of this program on by their type),
// messages.go (user and assistant messages, tool calls), requests.go (permission
// requests and calls handed to clients), queue.go (queued messages), schedule.go (prompts that are sent at certain times), leftout.go (what the model does not read), compaction.go
// (summaries and shortened results), clear.go (a conversation that begins anew) and
// rewind.go (history that was removed). conversation.go holds the threads, thread.go says how
// much of a thread stays in memory, subagent.go what the thread of a sub-agent has beside its conversation, message.go what a message is, transcript.go what a model reads of it, and
// outline.go what lists show. The fields that this program adds to the protocol's
// events are in package wire, own.go; which events exist, persist and are synced is in
// wire/kinds.go.
package state
