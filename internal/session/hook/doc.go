// Package hook calls the hooks of one session: programs and clients that are asked, or
// informed, when the session starts, a prompt arrives, a tool is called, a run fails or
// wants to stop, and the session ends.
//
// [Hooks] is the only type a session needs. It has one method for each kind of hook,
// which calls every hook of that kind, one after the other, and returns what they
// decided, decoded: [Hooks.PreToolUse] returns a [Decision], [Hooks.ErrorOccurred]
// whether to try again. Hooks of repository files come first, in the order of the file
// names and then in the order inside a file, because they are the rules of the project;
// the hooks of the client that attached last come after them.
//
// Files:
//   - hooks.go: [Hooks], which hooks are called, the calling itself, time limits, panics
//   - lifecycle.go: the hooks of a session and of a run (start, prompt, stop, error, end)
//   - tools.go: the hooks around a tool call
//   - client.go: hooks that a client runs, over hooks.invoke
//   - command.go: hooks that are commands: their input, their output, their exit status
//   - files.go: which files hold hooks, whether they may run, and reading them
//   - parse.go: the format of a file
//
// What always holds:
//   - hook.start is recorded before a hook runs and hook.end after it, also when the
//     hook fails, takes too long, or panics. A hook that fails has no effect.
//   - No method runs on the session's own goroutine: each may take as long as the time
//     limits of all hooks of its kind together. [Hooks.Any] and [Hooks.SetClient]
//     return at once.
//   - A file is read only if its hooks may run: docs/decisions/0013-hooks-from-files.md.
package hook
