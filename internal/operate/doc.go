// Package operate is what a user does with the open session beside sending messages: it shows and
// undoes what the agent has done, and it lists what the agent can use. The line mode of `chat` and
// the terminal interface use it; both print the results themselves. It needs no terminal.
//
// /fork is [registry.Registry.Fork], and /rename is [session.Settings.SetName].
//
// Begin with [Desk].
package operate
