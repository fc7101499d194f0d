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
// process. Session.spawn starts them; Session.begin starts the session's own, and
// Client.leaveLater one that drops a client.
//
// # The files
//
// A session and its goroutine:
//
//   - registry.go: [Registry], all sessions of a process, with the options; open.go: creating
//     and resuming; administration.go: stored sessions: pruning, measuring, closing; fork.go:
//     copying a session; warnings.go: warnings about the log of a session that is opened
//   - attach.go, newclient.go: attaching clients; client.go: one client, from its attachment
//     to its end; departing.go: waiting for clients that have closed their connections;
//     abilities.go: which questions each client can answer
//   - session.go: [Session], its fields and its mailbox; close.go: how a session leaves memory;
//     ending.go: why it ends
//   - storage.go: where a session is stored, on this machine or by a client
//   - journal.go: recording events and sending ephemeral ones; secrets.go: keeping secrets out
//     of them; claim.go: the lease on the log, and its loss; orphans.go: closing what a dead
//     process left open
//
// The commands of clients, each group a type of its own:
//
//   - send.go: messages and aborts; sendmessages.go: several messages at once; usermessage.go:
//     the event of a message, with its attachments; format.go: the form of the answer that a
//     message requests
//   - queue.go: queued messages; queuehold.go: what holds them; queueedit.go: changing the queue;
//     withdraw.go: withdrawing a message; schedule.go: prompts that are sent at given times
//   - commands.go: the slash commands of clients, skills and this program (whose table is in
//     package slash); commandrun.go: carrying one out; commandfiles.go: commands from files;
//     commandqueue.go: commands in the queue
//   - settings.go: model, mode, name, folder; metrics.go: snapshots, size and cost;
//     attribution.go: what the next request consists of; workspace.go: the files beside the log,
//     and the to-dos
//   - history.go: reading the history and removing its end; clear.go: restarting the
//     conversation; rewind.go: the connection to package rewind (restoring files, and their
//     differences)
//   - permissions.go: the connection to package approval (permissions, requests, questions);
//     managed.go: policies of clients; trust.go: trusted folders; hooks.go: the connection to
//     package hook
//   - skills.go: the connection to package discovery; plugins.go: the plugins that a session
//     uses; sidequery.go: questions about the conversation
//     that add nothing to it
//
// A run:
//
//   - run.go: a run, from its message to its session.idle; thread.go: the conversation of one
//     agent, which is the [turn.Host]; prompt.go: the request of a turn; offers.go: the
//     tools of that request; systemmessage.go: its system message; follow.go: its model, which may
//     be changed during a run
//   - budget.go: what a run may use, and asking for it before each call; limits.go: the limits of a session; autopilot.go:
//     whether a run continues; recovery.go: how it continues after a failed call, with a shorter
//     conversation or on another model; modelswitch.go: asking for that after a rate limit;
//     partial.go: what an abort keeps of an answer; repeats.go: whether a run goes on that
//     repeats its tool calls
//   - agents.go: the agents of a session, and waiting for sub-agents; launch.go: starting
//     sub-agents; subagent.go: one sub-agent, from its start to its end; agenthost.go: the
//     session as the tools for sub-agents use it; fleet.go: asking the model to distribute its
//     work
//   - tasks.go: sub-agents as clients see them; clienttasks.go: tasks that clients register;
//     agentlist.go: listing, selecting and reloading agents; agentchoice.go: the main agent
//     that session.create or session.resume chooses
//   - compaction.go: shortening a conversation; summary.go: recording a summary; leftout.go: what requests leave out,
//     and how a run goes on after its request was refused as too long
//   - smallset.go: the tools for models with a small window
//   - tools.go: which tools the model is offered, of those that package offer keeps for each
//     source; unfittools.go: those that no provider accepts; toolhost.go: the session as the
//     built-in tools use it; external.go: calls of clients' tools, externalfiles.go: the files of
//     their results; takeover.go: a tool that a newer client registers again; settools.go:
//     replacing the tools of a client
//   - serverhost.go: the connection to package servers (MCP servers) and what those ask for, with
//     sampling.go; serverfiles.go: the files that configure servers
//   - carrier.go: the providers that clients register, the clients that carry model calls, and
//     the tokens that they are asked for; the rest is in package provider
//   - extension.go: a Copilot Extensions agent as the model, and its confirmations
//
// The definitions of agents are in package agent, and lists of sessions in package listing.
//
// # To change something
//
// A method that clients call: a function of the value that it belongs to (settings.go, history.go,
// queue.go and so on), which posts to the session; the comment of package server says what it needs
// there: a line, a function, parameters and a recorded conversation.
//
// A slash command of this program: a line in package slash, whose comment lists its functions. A client gets a text, a list to choose from, or a prompt to send. This package cannot import app/show, so a text that the
// terminal and clients have in common is made in a package below both, such as timeline.
//
// A setting of a client (a field of session.create): a field of Config in wire/params.go. Its line in
// wire/unreadsettings.go, which says that it has no effect, goes; a field that no SDK has is named in
// wire/unread_test.go (ofOurs). If session.options.update changes it, its name is in wire/options.go
// (updatable), and its effect in server/options_test.go. There are two sorts. A value that each resume brings again, such
// as a credential or a switch, is in configuration (session.go) and filled in by attach.go (configure).
// A value that a resume has to find by itself is in the log: attach.go (begin, resumed) writes it
// into session.start and session.resume, with a field of wire/own.go if the event of the SDK has none
// (FieldTracking is an example), and session/state/settings.go (startSession, selectModel) reads it.
// A fork copies session.start with its fields; what has changed since is in fork.go (settle). What
// the system message says of a setting is in prompt/section.go (Env, environment), filled in by
// systemmessage.go (opening, key). When a value that is not in the key changes, the message is not
// made anew.
//
// State that a session keeps: package state, and the event that carries it in the table of
// kinds of package wire. An event of this program, which the SDK does not know, is a session.info
// with a type and a field of wire/own.go; infoKinds in wire/kinds.go says whether it is persisted,
// and session/state/settings.go (applyInfo) applies it.
//
// A message in the queue: session/state/queue.go (Queued, Event, enqueue) and QueuedMessage in
// wire/own.go are what the log keeps of it. queue.go (ready, steer) decides which message is next,
// queueedit.go has what clients do with a single one. A message is changed by recording it once more
// (replace), so a new property of it needs no new event. The methods are in server/queue.go, and
// parameters that the SDK does not have in wire/queueparams.go.
//
// A scheduled prompt: schedule/schedule.go (Entry) has its times, session/state/schedule.go (entryOf)
// reads it from its event, schedule.go (created, shown, sendNow) writes, shows and sends it, and
// server/schedule.go has the methods. Parameters and event have the types of the SDK; a field of our
// own needs parameters in wire/params.go, and a field in wire/own.go that state reads. An entry in
// the log of another machine is removed (reopen), because a log alone makes nothing run.
//
// A command that no call of the model runs: package usershell (Message, Execute, Exec); no rule is asked there,
// because the user has typed it.
// Options.RunScript (registry.go) runs the commands of hooks, from files that the user trusts. A
// command that comes from elsewhere has to ask: a permit.Request, and then Ask of the session's
// approval.Requests.
//
// A question to the user: a function of [approval.Questions], in a file beside
// session/approval/elicitation.go, with its [approval.Ability]. Clients learn of a question by an event, by
// a call of one client (question.method), or by both. Which clients answer it is in
// abilities.go (abilitiesOf, called, awaited), from a setting of theirs in wire/params.go or from
// their interest in its event. Its events are in wire/vocabulary.go and wire/kinds.go, and the method
// that answers it in server/questions.go. A terminal answers a question that is a call in
// question/method.go (Of), and one that is an event in app/chat/display.go (Event);
// app/entry/session.go (config) says that it answers it, and timeline/readers.go shows it. Package web answers
// permissions and the questions of ask_user, and no others.
//
// What an MCP server asks for: mcp/ask.go (Asker, askable) receives it and tells the server that it
// may ask, serverhost.go answers with a question as above; sampling.go is an example in both
// packages. Questions for a token and for headers come from mcp/signin.go.
//
// A new kind of tools: a package of its own with a [tool.Source], which toolset.sources
// (tools.go) yields, and a constant of [tool.Origin] (tool/tool.go); package mcp with package
// servers is the example. toolset.closing (tools.go) ends what a source has started.
// Package offer caches what is computed from the definitions. The messages to the model about
// tools that come and go (tools.go, clientTools and removedTools) are about the tools of
// clients. A run waits for a source that is starting in thread.Prompt (prompt.go).
//
// MCP servers: their configuration is read in package mcp, whose comment says what another transport
// needs; their methods are in server/mcp.go and server/mcpapps.go. The servers of a single agent are
// in agent/agent.go (MCPServers); package servers (OfAgent) starts them with the agent and ends them with it.
// Servers from files, of the user and of a project (mcp/files.go), are added to those of the client
// in Registry.withServerFiles (serverfiles.go). Signing in to a server: mcp/signin.go asks the client for
// a token, mcp/login.go sends the user to a page, and package mcp/oauth does the rest, with the
// tokens of the home (Home.Tokens of package servers); the methods are in server/mcpauth.go, the command is
// app/mcpcmd/login.go.
//
// A kind of permission: a tool that is a [tool.Asker] returns it. The kind is in
// permit/request.go, permit/rule.go, permit/checkrule.go, permit/rules.go, permit/deny.go and
// permit/missing.go, in session/approval/policy.go, session/approval/files.go (wantFor),
// session/approval/request.go and session/approval/samerequest.go, and with its approvals in
// wire/vocabulary.go and wire/approval.go. Its rules in words are in question/grant.go,
// app/chat/hints.go and app/wiring/rulenames.go; timeline/request.go reads it.
//
// An answer to a permission request (permit.Answer): which calls an approval covers is a [permit.Rule], and how
// long it holds a [permit.Scope]. On the way of an answer:
//
//   - The option is in question/permission.go (permits), with its letter and the words that the line mode takes.
//     In the terminal interface an action marks it: tui/keymap/action.go, tui/keymap/defaults.go, and markers in
//     tui/question/key.go; tui/question/rows.go (key) shows the key. What an approval grants is shown by
//     question/grant.go, from session/approval/offer.go (Offer).
//   - A terminal sends the answer: app/chat/questions.go (answer) in the line mode, app/front/answering.go (answer) in
//     the interface. Both approve for the session what cannot be saved for the location.
//   - A client sends it in the forms of the SDK, which wire/decision.go (ReadDecision) reads and server/answers.go
//     turns into a permit.Answer; wire/offer.go (OfferedAnswer) has the fields of ours.
//     remote/permission.go (Permit, decision) is the client's side for `chat --connect`.
//   - Package approval takes it: session/approval/answer.go (Answer), session/approval/settle.go (answer, outlasts,
//     finish, settle), session/approval/policy.go (complete, addsRules, decidesMore), and session/approval/request.go
//     (Result) for permission.completed. What outlasts the session is saved in session/approval/files.go (save); what
//     holds in the session counts only if session/approval/vouch.go (allow) has noted it in the file of
//     session/approval/sessiongrants.go.
//   - The log has it in permission.completed: session/state/settings.go (addApprovals) reads its rules, and
//     timeline/request.go (decisions, decided) shows it.
//
// An agent that comes with the program, and settings for it: the comment of package agent. A limit on
// sub-agents: agent/limits.go (Limits, Within), with its setting in config/subagents.go and
// config/describe.go, which app/wiring/parts.go (limits) passes on. launch.go (mayStart) checks the
// limits on how many there are. Limits on what calls of models may use, also of all sessions of a home or a
// tenant: a ledger, in [Options].Ledger, which package ledger explains; the run's own budget is one, too
// (ledgerOf in budget.go), and its sub-agents share it. subagent.go (ended) says why a sub-agent
// has ended.
//
// A conversation in a run: a thread (thread.go). That of a sub-agent has an agent id, a
// [subagent] and a run of its own, which shares the ledger of the run that it was started in:
// budget.go (spending, reserve), launch.go (begin, choose, mayStart), agents.go (await),
// subagent.go (deliver). Its state is in session/state/subagent.go (Launch, finish, addNotice).
// Its tools are tool/agents.go (Agents, SubAgent) and the files named after them, which reach
// the session through agenthost.go (StartAgent, WriteAgent); which agents there are is in
// agent/roster.go (Custom, Builtins), and in files: prompt/agentfiles.go (FindAgents),
// session/discovery/agents.go (agents, trusted). The log has one end for every
// subagent.started: subagent.go (ended) records it, or orphans.go (closeAgents) after the
// process died. Four things are only for the main agent: it may talk to the user and complete
// the task (usable in tools.go), allow tools by loading a skill (sessionFolds in
// session/state/state.go), be summarised while it works (shorten in compaction.go), and have
// agentStop hooks (Stopping in autopilot.go).
//
// Files of a project or of the user that a session reads: which folders are searched and what is in
// the files is in package prompt, whose comment lists them; whose project is trusted, and what a
// session does with the result, is in package discovery.
//
// What a rewind restores: the comment of package rewind.
//
// Where a session is kept, on this machine or by a client: storage.go. Package clientfs
// has the storage of a client, which the [Keeper] of a session brings. A field kept that is not nil
// says two things: that the files of the session are not on this machine, and that the session
// leaves memory when that client leaves.
//
// Another store of logs that the program opens itself: the comment of package eventlog says what it
// needs. Here it is a [Store]: an [eventlog.Store] with a Dir for the files that a session keeps on
// this machine in any case, such as temporary files of its commands. Other files of a session go
// through [Options].Workspaces, which is a folder in that Dir if it is not set (registry.go). Where
// those are not on this machine, the two meanings of kept have to be told apart: storage.go
// (planForTools, fetchPlan, storePlan, path), workspace.go (Database) and fork.go.
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
