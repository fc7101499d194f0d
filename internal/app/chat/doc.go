// Package chat is the user's side of a session at a terminal: the commands `sidestick
// run`, `sidestick chat` and `sidestick agent chat`. It sends messages, follows the run
// that answers, and asks the user what the session asks. Package ask prints questions,
// package show prints events.
//
//   - run.go: `run`, and opening a session for either command.
//   - chat.go: `chat`: reading messages until the user leaves.
//   - commands.go, rules.go, sandbox.go: the slash commands, among them /rules, /allow and
//     /sandbox. undo.go: /rewind and /undo; inspect.go: /rename, /fork, /diff, /context, /export,
//     /copy, /mcp, /agents, /skills.
//   - recap.go: the last exchange of a session that is continued.
//   - plain.go: the line that says that a run is under way, where nothing moves.
//   - format.go: the formats of the output of `run`; unmet.go: calls that were denied and needed.
//   - agent.go: `agent chat`.
//   - flags.go: the flags of run and chat; which session they name.
//   - display.go: what the terminal does with the text and events of a run, among them the
//     events that are questions.
//   - conversation.go: following runs of one session, and aborting them with Ctrl-C.
//   - questions.go, confirm.go: what happens while a question is open, and its answer.
//   - usercalls.go: calls of the session that need the user, such as ask_user.
//   - servers.go: what the user learns of MCP servers that are slow to start.
//   - failure.go: retries of model calls, and why a run has failed, in words of the user.
//   - outcome.go: what a run has come to. compact.go: following a compaction.
//   - message.go, stdin.go: typed messages, piped prompts.
//   - hints.go: what to do next, on stderr.
//
// A chat at a terminal that can move its cursor has the terminal interface of package tui, unless the
// user wants the line mode (`--plain`):
//
//   - front.go: the program behind the interface: opening it, its editor, clipboard and history.
//   - embedded.go: a session of this process, as the interface uses it.
//   - effects.go: its slash commands; those without a page print what the line mode prints.
//   - filler.go: lists that are filled beside the interface, and again when something has changed.
//   - pick_models.go: /model, /effort. pick_sessions.go: /sessions, /resume; pick_texts.go: what their search finds. pick_tasks.go: /tasks,
//     /background. pick_mcp.go: /mcp. pick_agents.go: /agents. pick_skills.go: /skills.
//     pick_rules.go: /rules. pick_rewind.go: /rewind, /undo. pick_diff.go: /diff.
//   - read_help.go: /help and completion. read_show.go: /show, /usage. read_window.go: /context.
//   - copy.go: /copy.
//
// With --connect it has a session of a server (package remote):
//
//   - connect.go, connect_far.go: opening it, also on another machine. attached.go: the session, as the
//     interface uses it; answering.go: what it has in common with embedded.go.
//   - guest.go, guest_sessions.go: what the commands do there.
package chat
