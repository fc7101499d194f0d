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
//   - session.go: [Session], its fields and its mailbox; close.go: how a session leaves memory
//   - storage.go: where a session is stored, on this machine or by a client; keptfolders.go:
//     temporary files of sessions that a client stores
//   - journal.go: recording events and sending ephemeral ones; secrets.go: keeping secrets out
//     of them; claim.go: the lease on the log, and its loss; orphans.go: closing what a dead
//     process left open
//
// The commands of clients, each group a type of its own:
//
//   - send.go: messages and aborts; sendmessages.go: several messages at once; usermessage.go:
//     the event of a message, with its attachments; format.go: the form of the answer that a
//     message requests
//   - queue.go: queued messages; queueedit.go: changing the queue; withdraw.go: withdrawing a
//     message; schedule.go: prompts that are sent at given times
//   - commands.go: the slash commands of clients, skills and this program (whose table is in
//     package slash); commandrun.go: carrying one out; commandfiles.go: commands from files;
//     commandqueue.go: commands in the queue
//   - settings.go: model, mode, name, folder; usersettings.go: the settings of the user;
//     metrics.go: snapshots, size and cost; attribution.go: what the next request consists of;
//     workspace.go: the files beside the log, and the to-dos
//   - history.go: reading the history and removing its end; clear.go: restarting the
//     conversation; rewind.go: restoring files; filetracking.go: keeping old versions of
//     files; workspacediff.go: differences of files
//   - permissions.go: the connection to package approval (permissions, requests, questions);
//     managed.go: policies of clients; trust.go: trusted folders; hooks.go: the connection to
//     package hook
//   - skills.go: the connection to package discovery; plugins.go: the plugins that a session
//     uses; canvas.go: canvases of clients; sidequery.go: questions about the conversation
//     that add nothing to it
//
// A run:
//
//   - run.go: a run, from its message to its session.idle; thread.go: the conversation of one
//     agent, which is the [turn.Host]; prompt.go: the request of a turn; systemmessage.go: its
//     system message
//   - budget.go: the budget of a run; limits.go: the limits of a session; autopilot.go:
//     whether a run continues; modelswitch.go: whether it continues on another model after a
//     rate limit
//   - usercommand.go: messages that are shell commands; usershell.go: commands of the user
//     that run independently of runs
//   - agents.go: the agents of a session, and waiting for sub-agents; launch.go: starting
//     sub-agents; subagent.go: one sub-agent, from its start to its end; agenthost.go: the
//     session as the tools for sub-agents use it; fleet.go: asking the model to distribute its
//     work
//   - tasks.go: sub-agents as clients see them; clienttasks.go: tasks that clients register;
//     agentlist.go: listing, selecting and reloading agents; agentchoice.go: the main agent
//     that session.create or session.resume chooses
//   - compaction.go: shortening a conversation; summary.go: recording a summary
//   - tools.go: the tools that the model is offered; toolsource.go: sources of tools, and
//     schemas; toolhost.go: the session as the built-in tools use it; external.go: calls of
//     clients' tools; takeover.go: a tool that a newer client registers again; settools.go:
//     replacing the tools of a client
//   - servers.go: the MCP servers, and the session as they use it; agentservers.go: those of a
//     single agent; serverquestions.go, sampling.go: what they ask; githubserver.go: GitHub's
//     server
//   - provider.go, namedproviders.go: the provider and the model; dialect.go: the protocol of
//     the provider; extension.go: a Copilot Extensions agent as the model, and its
//     confirmations
//
// The definitions of agents are in package agent, and lists of sessions in package listing.
//
// # To change something
//
// A method that clients call: a function of the value that it belongs to (settings.go,
// history.go, queue.go and so on), which posts to the session; package server has its name and
// its parameters. A slash command of this program: a line in package slash, its function in
// app/chat (chatDo), and, if clients can run it, in commandrun.go (builtin). A setting of a
// client that is not in the log is a field of configuration (session.go), which attach.go fills
// in; delete its line in wire/unread.go, which says that it has no effect.
//
// State that survives a resume: package state, and the event that carries it in the table of
// kinds of package wire.
//
// A question to the user: a function of [approval.Questions], in a file beside
// session/approval/elicitation.go, with its [approval.Ability]; the clients that have it are in
// abilities.go, and the method that answers it in server/questions.go. MCP servers ask with
// Questions().Elicit and Questions().Sample. Whether a client answers an event, such as
// mcp.oauth_required, depends on the interests that it has registered (abilities.go).
//
// A new kind of tools: a package of its own with a [tool.Source], which toolset.sources
// (tools.go) yields, and a constant of [tool.Origin] (tool/tool.go); package mcp with
// servers.go is the example. toolset.closing (tools.go) ends what a source has started.
// toolsource.go caches what is computed from the definitions. The messages to the model about
// tools that come and go (tools.go, clientTools and removedTools) are about the tools of
// clients. A run waits for a source that is starting in thread.Prompt (prompt.go).
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
// budget.go (purse, reserve), launch.go (begin, choose, mayStart), agents.go (await),
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
// Where a session is stored, on this machine or by a client: storage.go. Package clientfs has
// the storage of a client, which the client's [Keeper] returns.
//
// Another store of logs: an [eventlog.Store], with a [Store.Dir] for the files that a session
// keeps on this machine in any case, such as temporary files of its commands. Other files of a
// session go through [Options].Workspaces. The program makes both in app/wiring.
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
