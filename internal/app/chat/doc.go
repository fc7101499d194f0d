// Package chat has the commands `sidestick run`, `sidestick chat` and `sidestick agent chat`, and the
// line mode: it sends messages, follows the run that answers, and asks the user what the session asks.
// Package ask prints questions, package show prints events, and package entry opens the session. A chat at a
// terminal that can move its cursor has the terminal interface instead (package front), unless the user
// wants the line mode (`--plain`).
//
//   - run.go: `run`, and opening a session for either command.
//   - chat.go: `chat`: reading messages until the user leaves.
//   - interface.go: which terminal interface `chat` shows, and what commands print there.
//   - commands.go, rules.go, sandbox.go: the slash commands, among them /rules, /allow and
//     /sandbox. undo.go: /rewind and /undo; inspect.go: /rename, /fork, /diff, /context, /export,
//     /copy, /mcp, /agents, /skills.
//   - recap.go: the last exchange of a session that is continued.
//   - plain.go: the line that says that a run is under way, where nothing moves.
//   - format.go: the formats of the output of `run`; unmet.go: calls that were denied and needed.
//   - agent.go: `agent chat`.
//   - display.go: what the terminal does with the text and events of a run, among them the
//     events that are questions.
//   - conversation.go: following runs of one session, and aborting them with Ctrl-C.
//   - questions.go: what happens while a question is open, and its answer.
//   - servers.go: what the user learns of MCP servers that are slow to start.
//   - failure.go: retries of model calls, and why a run has failed, as the user reads them.
//   - outcome.go: what a run has come to. compact.go: following a compaction.
//   - message.go, stdin.go: typed messages, piped prompts.
//   - hints.go: what to do next, on stderr.
package chat
