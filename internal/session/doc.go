// Package session owns conversations. A session is its log: what it has become
// is a fold over the events recorded so far, resume is replay, and nothing that
// a client was told can be missing from it.
//
// One goroutine owns one session. Every command (send, abort, an answer to a
// question, a new client) is a function that runs on that goroutine, one after
// the other; every event leaves through the session's [eventlog.Log], which the
// goroutine alone appends to. Whatever could take long runs beside it and
// reports back: the model and the tools on the goroutine of the current run,
// clients behind their own [eventlog.Tail].
//
// # Where to read
//
// [Registry] finds, creates, resumes and deletes sessions. [Session] is one of them:
// its mailbox is in session.go, the commands in send.go, attach.go and control.go.
// The run that calls package turn is in run.go, what it wants of the session in
// host.go and prompt.go. Calls of client tools are in external.go, and
// a tool that a newer client takes over is in takeover.go. What tools may do is decided in
// package approval, which permissions.go connects to the session. What a dead process left
// open is in orphans.go. A Copilot Extensions agent in place of the model
// is in extension.go, and the confirmations that it asks for in
// extensionconfirmation.go. callhooks.go calls the hooks (package hook) and skills.go
// reads what folders hold (package discovery); which agent the model plays is decided in
// package agent.
// pending.go holds messages that wait. history.go is the state, fold.go how events
// change it, conversation.go how much of it stays in memory, and transcript.go what
// of it a model gets to see. How a session gets into memory is in open.go, how it
// leaves that with a question open in suspend.go, how processes take turns at one,
// and what a run does when another owner takes its session over, in claim.go. What clients set and read by call is in a
// file each: mode.go, name.go, plan.go, files.go, workspace.go, checkpoint.go,
// queue.go, metadata.go, todos.go; rewind.go takes history back, fork.go copies it. Lists are in list.go, and what of a
// session they show, told to package catalog when it changes, in catalogue.go.
//
// # What always holds
//
//   - A persisted event is on disk before anyone is told of it.
//   - parentId chains persisted events only, in the order of the log.
//   - A run ends with exactly one session.idle, and nothing follows it. If the
//     log cannot be written any more, or another owner has taken the session over, the
//     error and the idle are sent all the same, as ephemeral events.
//   - Each tool call that was started gets one tool.execution_complete. After a
//     crash the next resume writes what is missing, or keeps the call open if
//     the client asked for that and somebody can still answer it.
//   - A question to a client outlives the client: any client that is attached,
//     or attaches later, can answer it. If none of the attached can ever answer,
//     the answer is no, at once.
package session
