// Package session owns conversations. A session is its log: its state is computed from
// the events recorded so far (package state), resume is replay, and every persisted event
// that a client received is in the log.
//
// One goroutine owns one session. Every command (send, abort, an answer to a request, a
// new client) is a function that runs on that goroutine, one after the other; package
// mailbox brings it there. That goroutine alone appends to the session's [eventlog.Log],
// and waits for storage only for that. Everything else that can take long
// runs on another goroutine and reports back: the model and the tools on the goroutine of
// the current run, clients behind their own [eventlog.Tail], files on the goroutine of the
// caller. A caller whose context ends stops waiting at once; its command continues.
//
// The registry waits for every goroutine of a session, and a panic in one does not end the
// process. [journal.Journal.Go] starts them; Session.begin starts the session's own, and
// Client.leaveLater one that drops a client.
//
// To get started, see package registry, which has the sessions of one home: it attaches a [Client] to a
// [Session], whose methods are the commands. Commands of one subject are methods of a value of their own, such as
// [Session.Queue] or [Session.Agents]. What a session finds of its home is in [Home], and what it tells the registry in [Registrar].
//
// What a session consists of, beside its goroutine, its clients and the run, is in
// packages that know no session and can be tested without one. Most name what they need in a small
// interface, which this package fulfils:
//
//   - the conversation: state (what the log says), journal (how it is written), queue (messages that
//     wait), agents (sub-agents and tasks), compact (summaries), rewind (of the history and of files);
//   - calls of models: provider (which model is called, and how), offer (the tools that a model is
//     offered), ledger (what calls may use), metrics (what they have used), taped (recorded results of
//     tools);
//   - what the user and clients decide: approval (permissions and questions), hook, slash and command
//     (slash commands), usershell (commands that the user runs), clienttools (tools of clients), canvas;
//   - the rest: servers (MCP), discovery (files of a project), files (what is kept beside the log), and
//     listing.
//
// # To change something
//
// A method that clients call: a function of the value that it belongs to, which posts to the
// session; the comment of package server says what it needs there.
//
// A setting of a client (a field of session.create): a field of wire.Config. There are two kinds.
// Each resume brings a value such as a credential or a switch again; it is in configuration, which
// configure fills in. A resume has to find any other value by itself, so it is in the log:
// attachment.begin and attachment.resumed write it into session.start and session.resume, with a field of package wire if the
// event of the SDK has none, and package state reads it. A fork copies session.start with its
// fields. What the system message says of a setting is in prompt.Env; when a value that is not in
// the key of the message changes, the message is not made anew.
//
// State that a session keeps: package state, and the event that carries it in [wire.Kinds]. An
// event that the SDK does not know is a session.info with a type and a field of package wire.
//
// A message: package queue has it until it is part of the conversation. The run that it begins, or
// that it steers, records it.
//
// A slash command of the program: a line in package slash, and package command carries it out for
// clients.
//
// A command that no call of the model runs: package usershell; no rule is asked, because the user
// has typed it. [Home].RunScript runs the commands of hooks, from files that the user trusts. A
// command that comes from elsewhere has to ask: a permit.Request, and then approval.Requests.
//
// A question to the user: a function of [approval.Questions], with its [approval.Ability]. Clients
// learn of a question by an event, by a call of one client, or by both; abilities says which of
// them answer it. Package question has it as data, app/ask and tui/question ask it at a terminal,
// and package web answers permissions and the questions of ask_user, and no others. What an MCP
// server asks for comes in by mcp.Asker and goes the same way.
//
// A kind of permission: a tool that is a [tool.Asker] returns it. The kind and its rules are in
// package permit, the policy in package approval, and its words in packages question, timeline and
// app/chat.
//
// An answer to a permission request: permit.Answer. A client sends it in the forms of the SDK, which
// wire.ReadDecision reads; a terminal by package question. Package approval takes it, saves what
// outlasts the session, and counts what a log says only if it has vouched for it. The log has it in
// permission.completed.
//
// A new kind of tools: a package of its own with a [tool.Source], which toolset.sources yields, and
// a constant of [tool.Origin]; package mcp with package servers is the example. Package offer
// caches what is computed from the definitions.
//
// An agent that comes with the program, and limits on sub-agents: package agent. Limits on what
// calls of models may use, also of all sessions of a home or a tenant: a ledger, in
// [Home].Ledger, which package ledger explains. The run's own budget is one, too, and its
// sub-agents share it.
//
// A conversation in a run: a thread, which is the [turn.Host] of the loop. That of a sub-agent has
// an agent id, an [agents.Subagent] and a run of its own, which shares the ledger of the run that it was
// started in. Four things are only for the main agent: it may talk to the user and complete the
// task, allow tools by loading a skill, be summarised while it works, and have agentStop hooks.
//
// Where a session is kept, on this machine or by a client: package clientfs has the storage of a
// client. A field kept that is not nil says two things: that the files of the session are not on
// this machine, and that the session leaves memory when that client leaves. Another store of logs
// is a registry.Store: an [eventlog.Store] with a Dir for files that a session keeps on this machine in
// any case. Other files go through a workspace.Store, [Storage].Files. The comment of package eventlog
// says where else the program has to know such a store.
//
// # What always holds
//
//   - A persisted event is written to the log before it is sent to any client. Those that
//     package wire marks as synced are then on the disk, too, if the durability asks for it.
//   - parentId links persisted events only, in the order of the log.
//   - A run ends with exactly one session.idle, and nothing follows it. If the log cannot
//     be written any more, or another owner has taken the session over, the error and the
//     idle are sent all the same, as ephemeral events.
//   - Each tool call that was started gets one tool.execution_complete. After a crash the
//     next resume records the missing ones, or keeps the call open if the client asked for
//     that and a client can still answer it.
//   - A request to a client outlives the client: any client that is attached, or attaches
//     later, can answer it. If none of the attached clients can ever answer, the request
//     is denied at once.
//   - Whatever a session records, sends or asks on behalf of a sub-agent carries the
//     sub-agent's agent id.
//   - Each subagent.started has exactly one subagent.completed or subagent.failed after it. A
//     session is idle only when none of its sub-agents works.
package session
