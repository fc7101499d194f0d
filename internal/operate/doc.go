// Package operate is what a user does with the open session beside sending messages: it shows and
// undoes what the agent has done, and it lists what the agent can use. The line mode of `chat` and
// the terminal interface use it; both print the results themselves. It needs no terminal.
//
//   - turns.go: the turns of a session, the preview of a rewind, the rewind ([Rewind]) and /undo.
//   - shellcommands.go: the commands whose changes neither a rewind nor /diff knows.
//   - diff.go: /diff, the changes of files as one unified diff.
//   - window.go: /context, what fills the model's window.
//   - history.go: /export and /copy, and the recap of a session that is resumed.
//   - lists.go: /mcp, /agents, /skills.
//   - commands.go: what the commands of skills and of prompts in files send, and which agent is the model.
//   - rules.go: the permission rules as a list, and what holds where no rule decides.
//
// /fork is [session.Registry.Fork], and /rename is [session.Settings.SetName].
package operate
