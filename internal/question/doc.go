// Package question has what the user is asked, as data: the heading, the details that the user
// needs to decide, the options with what each of them allows, and the answer that a choice gives.
// It prints nothing and reads no key. The line mode (package app/ask) and the terminal interface
// (package tui/question) show the same questions, so the rules about answers are here, once.
//
//   - question.go: [Question], its [Option] and [Answer], and [Question.Choose].
//   - detail.go: [Detail], a part of what a question is about.
//   - typed.go: [Question.Typed], which option a typed line chooses: a yes must be its only word.
//   - permission.go: the permission request of a tool; command.go: its details for a command.
//   - link.go: where a symbolic link in the path of a file leads.
//   - grant.go: the description of the calls that an approval beyond one call allows.
//   - confirm.go: the confirmation that a Copilot Extensions agent asks for.
//   - input.go: a question of the model (ask_user).
//   - plan.go: a plan, and how to continue with it (exit_plan_mode).
//   - form.go: a form of the model or of an MCP server, or a page to visit (elicitation);
//     field.go: the values of its fields.
//   - modelswitch.go: whether a run that a rate limit has stopped continues on another model.
//   - method.go: which of these answers which call of the session.
//
// All text in a [Question] is safe to print: what the user decides about went through
// [timeline.Exposed], and prose of a model or a server through [timeline.Harmless].
package question
