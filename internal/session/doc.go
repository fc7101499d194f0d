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
//   - registry.go has [Registry]: all sessions of a process, options, closing.
//   - open.go creates and resumes sessions, attach.go and newclient.go let clients in, client.go is one
//     client from its attachment to its end, departing.go waits for those that have gone, fork.go copies a session, warnings.go reports
//     what is wrong with the log of a session that is opened, administration.go prunes,
//     measures and closes stored sessions, usersettings.go has the settings of the user, plugins.go
//     what sessions use of plugins, canvas.go the areas that clients draw.
//   - session.go has [Session], its fields and its mailbox; close.go is the way out of
//     memory, storage.go where it is kept, keptfolders.go what this machine has of a session
//     that a client keeps.
//   - journal.go records events and sends ephemeral ones, secrets.go keeps known secrets out
//     of them, claim.go has the lease on the
//     log and what happens when it is lost, orphans.go closes what a dead process left
//     open.
//
// The commands of clients on a session, each group a value of its own:
//
//   - send.go takes messages and aborts, sendmessages.go several at once, usermessage.go
//     records what the user wrote with its attachments, format.go checks the form of the
//     answer that a message wants, queue.go keeps messages that wait, queueedit.go arranges
//     them, withdraw.go takes one back, schedule.go sends prompts at certain times.
//   - commands.go has the slash commands of clients, skills and this program (the table is
//     in package slash), commandrun.go carries one out, commandfiles.go has those of files with prompts, commandqueue.go those in the queue.
//   - settings.go has model, mode, name, folder; metrics.go snapshots, size and cost,
//     attribution.go what the next request consists of;
//     workspace.go the files beside the log and the to-dos.
//   - history.go reads the history and removes its end, clear.go restarts the conversation.
//     rewind.go restores files, too; filetracking.go keeps what they were,
//     and workspacediff.go compares.
//   - trust.go has the folders that the user trusts, permissions.go connects package approval (permissions, open requests, questions),
//     abilities.go has which client answers which questions, and what the others learn of it,
//     sidequery.go answers a question from the conversation without adding to it,
//     managed.go the
//     policies that clients inject, hooks.go package hook, skills.go package discovery; which agent the model plays is in
//     package agent. Lists of sessions are in package listing.
//
// A run:
//
//   - run.go is a run from its message to its session.idle, thread.go one conversation of
//     it with a model, which is the [turn.Host]; prompt.go makes the request of a turn,
//     systemmessage.go its system message, budget.go what it may still cost, limits.go
//     what the session may cost, autopilot.go decides whether the run continues, modelswitch.go
//     whether it continues on another model after a rate limit, usercommand.go runs shell commands of the user.
//     usershell.go has the commands of the user that run beside the model.
//   - agents.go has the agents of the session and waits for sub-agents, launch.go
//     starts them, subagent.go is one sub-agent from its start to its end, agenthost.go what the tools for sub-agents get of
//     the session, tasks.go sub-agents as clients see them, clienttasks.go
//     tasks that clients register, agentlist.go lists, selects and
//     reloads agents, agentchoice.go has the choice of a create or resume, fleet.go asks the model to distribute its work.
//   - compaction.go shortens a conversation, summary.go records the summary, also by hand.
//   - tools.go has the tools on offer and what the model knows of them, toolsource.go the
//     sources of tools and their schemas, toolhost.go what built-in tools get of the
//     session, servers.go the MCP servers and what they get of it, agentservers.go those of a
//     single agent, serverquestions.go and sampling.go what they ask, githubserver.go GitHub's
//     server, external.go tools that clients run, takeover.go a tool that a newer client
//     takes over, settools.go replaces the tools of a client.
//   - provider.go and namedproviders.go find the model, dialect.go how it is called, extension.go a Copilot Extensions agent in its place,
//     with its confirmations.
//
// # To change something
//
// A method that clients call: a function of the value that it belongs to (settings.go, history.go,
// queue.go and so on), which posts to the session; the comment of package server says what it needs
// there: a line, a function, parameters and a recorded conversation.
//
// A slash command of this program: a line in package slash, its function in app/chat/commands.go
// (chatDo), and, if clients can run it, in commandrun.go (builtin). What a client gets is a text, a
// list to choose from, or a prompt to send. This package cannot import app/show, so a text that the
// terminal and clients have in common is made in a package below both, such as timeline.
//
// A setting of a client (a field of session.create): a field of Config in wire/params.go. Its line in
// wire/unread.go, which says that it has no effect, goes; a field that no SDK has is named in
// wire/unread_test.go (ofOurs). There are two sorts. What each resume brings again, such as a
// credential or a switch, is in configuration (session.go) and filled in by attach.go (configure).
// What a resume finds again without being told is in the log: attach.go (begin, resumed) writes it
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
// A command that no call of the model runs: usercommand.go for a message in the mode shell,
// usershell.go (Execute, Exec) for a method; no rule is asked there, because the user has typed it.
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
// app/ask/method.go (Answers), and one that is an event in app/chat/display.go (Event);
// app/chat/flags.go says that it answers it, and timeline/readers.go shows it. Package web answers
// permissions and the questions of ask_user, and no others.
//
// What an MCP server asks for: mcp/ask.go (Asker, askable) receives it and tells the server that it
// may ask, serverquestions.go answers with a question as above; sampling.go is an example in both
// packages. Questions for a token and for headers come from mcp/signin.go.
//
// A sort of tools: a package of its own with a [tool.Source], which toolset.sources (tools.go)
// yields, and a constant of [tool.Origin] (tool/tool.go); package mcp with servers.go is the
// example. What a source has started is ended in toolset.closing (tools.go). toolsource.go keeps
// what is made of the definitions. The messages to the model about tools that come and go
// (tools.go, clientTools and removedTools) are about the tools of clients. A run waits for a
// source that is starting in thread.Prompt (prompt.go).
//
// MCP servers: their configuration is read in package mcp, whose comment says what another transport
// needs; their methods are in server/mcp.go and server/mcpapps.go. The servers of a single agent are
// in agent/agent.go (MCPServers); agentservers.go starts them with the agent and ends them with it.
// Servers from files, of the user and of a project (mcp/files.go), are added to those of the client
// in Registry.withServerFiles (servers.go). Signing in to a server: mcp/signin.go asks the client for
// a token, mcp/login.go sends the user to a page, and package mcp/oauth does the rest, with the
// tokens of servers.go (tokensFor); the methods are in server/mcpauth.go, the command is
// app/mcpcmd/login.go.
//
// A kind of permission: a tool that is a [tool.Asker] returns it. The kind is in
// permit/request.go, permit/rule.go, permit/checkrule.go, permit/rules.go, permit/deny.go and
// permit/missing.go, in session/approval/policy.go, session/approval/files.go (wantFor),
// session/approval/request.go and session/approval/samerequest.go, and with its approvals in
// wire/vocabulary.go and wire/approval.go. Its rules in words are in app/ask/grant.go,
// app/chat/hints.go and app/wiring/rulenames.go; timeline/request.go reads it.
//
// An agent that comes with the program, and settings for it: the comment of package agent. A limit on
// sub-agents: agent/limits.go (Limits, Within), with its setting in config/subagents.go and
// config/describe.go, which app/wiring/parts.go (limits) passes on. launch.go (mayStart) checks the
// limits on how many there are. Limits on tokens are checked in budget.go: tryReserve before each
// call of a model, and spend after it. A purse is what a run has used with all its sub-agents, and
// spent is what one conversation has used. Today reserve checks nothing in a run without a budget,
// so a limit that holds without one has to change that. subagent.go (ended) says why a sub-agent
// has ended.
//
// A conversation in a run: a thread (thread.go). That of a sub-agent has an agent id, a
// [subagent] and a run of its own, which shares the purse of the run that it was started in:
// budget.go (purse, reserve), launch.go (begin, choose, mayStart), agents.go (await), subagent.go
// (deliver). Its state is in session/state/subagent.go (Launch, finish, addNotice). Its
// tools are tool/agents.go (Agents, SubAgent) and the files named after them, which reach the
// session through agenthost.go (StartAgent, WriteAgent); which agents there are is in
// agent/roster.go (Custom, Builtins), and in files: prompt/agentfiles.go (FindAgents),
// session/discovery/agents.go (agents, trusted). Of each sub-agent the log has one end for
// every subagent.started: subagent.go (ended), orphans.go (closeAgents) for a process that
// died. Only the main agent may speak with the user and complete the task, tools.go
// (usable); allow tools by loading a skill, session/state/state.go (sessionFolds); be
// summarised beside its calls, compaction.go (shorten); have agentStop hooks, autopilot.go
// (Stopping).
//
// Files of a project or of the user that a session reads: which folders are searched and what is in
// the files is in package prompt, whose comment lists them; whose project is trusted, and what a
// session does with the result, is in package discovery.
//
// What a rewind restores: filetracking.go (track, Run) wraps each built-in tool and records, as
// wire.FileCapture, what the call has changed; today that is only done for calls with a permit.Write.
// rewind.go sums up these records and does not mind what made them. permit/request.go (Command, Paths)
// has the paths that a command may read or write, as far as they are known; a command in the
// background changes files after its call has returned. workspacediff.go compares with git, for clients only.
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
//   - A persisted event is on disk before it is sent to anyone.
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
//     session is idle only when no sub-agent works.
package session
