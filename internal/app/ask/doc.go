// Package ask asks the user at a terminal, one question at a time. It prints a question of package
// internal/question, and reads lines until one of them is an answer. It knows nothing of
// sessions' events.
//
//   - asker.go: [Asker], what the questions have in common: headings, reading an answer.
//   - permission.go: the permission prompt; confirm.go: the confirmation that a Copilot Extensions
//     agent asks for.
//   - foreign.go: whether what the log of a session from elsewhere names takes effect.
//   - call.go: the questions that are calls of the session: of the model, about a plan, about
//     another model.
//   - form.go: a form of the model or of an MCP server, or a page to visit (elicitation).
//   - layout.go: the rows of the details: commands, diffs, notes.
//   - details.go: how many of these rows are shown at first, and that a yes counts only after
//     the others were read.
package ask
