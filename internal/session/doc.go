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
// A method that clients call: a function of the value that it belongs to (settings.go,
// history.go, queue.go and so on), which posts to the session; package server has its name
// and its parameters. A slash command of this program: a line in package slash, its function
// in app/chat (chatDo), and, if clients can run it, in commandrun.go (builtin).
// A setting of a client that is not in the log goes into configuration (session.go, filled in
// attach.go); its line in wire/unread.go, which says that it has no effect, goes.
//
// State that a session keeps: package state, and the event that carries it in the table of
// kinds of package wire.
//
// A question to the user: a function of [approval.Questions], in a file
// beside session/approval/elicitation.go, with its [approval.Ability]; the clients that have it are in
// abilities.go, and the method that answers it in server/questions.go. An MCP host asks with
// Questions().Elicit and Questions().Sample. Whether a client waits for
// an event, such as mcp.oauth_required, is in the interests of its abilities.
//
// A sort of tools: a package of its own with a [tool.Source], which toolset.sources (tools.go)
// yields, and a constant of [tool.Origin] (tool/tool.go); package mcp with servers.go is the
// example. What a source has started is ended in toolset.closing (tools.go). toolsource.go keeps
// what is made of the definitions. The messages to the model about tools that come and go
// (tools.go, clientTools and removedTools) are about the tools of clients. A run waits for a
// source that is starting in thread.Prompt (prompt.go).
//
// MCP servers: their configuration is read in package mcp, their methods are in server/mcp.go and
// server/mcpapps.go. What servers ask of the user goes through [mcp.Asker], which
// serverHost.Asker (serverquestions.go) returns: forms and pages, tokens and headers, calls of the model. The
// servers of a single agent are in agent/agent.go (MCPServers); agentservers.go starts them with the
// agent and ends them with it. Servers
// from files, of the user and of a project (mcp/files.go), are added to those of the client in
// Registry.withServerFiles (servers.go). Signing in to a server: mcp/signin.go asks the client for a token,
// mcp/login.go sends the user to a page, and package mcp/oauth does the rest; the methods are in server/mcpauth.go.
//
// A kind of permission: a tool that is a [tool.Asker] returns it. The kind is in
// permit/request.go, permit/rule.go, permit/checkrule.go, permit/rules.go, permit/deny.go and
// permit/missing.go, in session/approval/policy.go, session/approval/files.go (wantFor),
// session/approval/request.go and session/approval/samerequest.go, and with its approvals in
// wire/vocabulary.go and wire/approval.go. Its rules in words are in app/ask/grant.go,
// app/chat/hints.go and app/wiring/rulenames.go; timeline/request.go reads it.
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
// Where a session is kept, on this machine or by a client: storage.go. Package clientfs
// has the storage of a client, which the [Keeper] of a session brings.
//
// Another store of logs: an [eventlog.Store], with a [Store.Dir] for the files that a session
// keeps on this machine in any case, such as temporary files of its commands. Other files of a
// session go through [Options].Workspaces. The program makes both in app/wiring.
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
