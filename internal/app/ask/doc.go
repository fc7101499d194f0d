// Package ask asks the user at a terminal, one question at a time. It prints the
// question, reads the answer, and knows nothing of sessions' events.
//
//   - permission.go: the permission prompt: what a tool would do, the answers that the
//     user can give, and reading them.
//   - command.go: the rows about a command: where it would run, what its first run printed.
//   - grant.go: the description of the calls that an approval beyond one call allows.
//   - layout.go: the rows of a permission prompt: commands, diffs, notes.
//   - details.go: how many of these rows are shown at first, and that a yes counts only after
//     the others were read.
//   - confirm.go: the confirmation that a Copilot Extensions agent asks for.
//   - input.go: a question of the model (ask_user).
//   - form.go: a form of the model or of an MCP server, or a page to visit (elicitation).
//   - modelswitch.go: whether a run that a rate limit has stopped continues on another model.
//   - plan.go: a plan, and how to go on with it (exit_plan_mode).
//   - method.go: which of these answers which call of the session. Permission requests and forms
//     are no calls, but events: package chat finds them among the events of the run.
//   - asker.go: [Asker], what the questions have in common.
package ask
