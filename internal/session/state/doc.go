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
// [State] has tables of which event changes what; each subject (settings, messages, requests, the
// queue, schedules, summaries) has its part. A thread is the conversation of one agent; how much
// of it stays in memory is decided here, and what a model reads of it. The fields that this
// program adds to the protocol's events, and which events exist, persist and are synced, are in
// package wire.
package state
