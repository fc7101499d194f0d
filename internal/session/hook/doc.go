// Package hook calls the hooks of one session: commands and clients that can react when the
// session starts, a prompt arrives, a tool is called, a run fails or is about to end, and
// the session ends.
//
// [Hooks] is the only type that a session needs. It has one method for each kind of hook.
// The method calls every hook of that kind, one after the other, and returns their
// decisions: [Hooks.PreToolUse] returns a [Decision], [Hooks.ErrorOccurred] whether to try
// again. Hooks of files come first, those of the repository, of the user and of plugins, in the
// order of the file names and then in the order inside a file, because they are the rules of
// the project. The hooks of the client that attached last come after them. Package peerfile says
// what a file means.
//
// What always holds:
//
//   - hook.start is recorded before a hook runs and hook.end after it, even if the hook
//     fails, takes too long, or panics. A hook that fails has no effect, except that a
//     preToolUse hook of a file that fails denies the call:
//     docs/decisions/0041-hooks-of-files-fail-closed.md.
//   - No method runs on the session's own goroutine: each may take as long as the time limits
//     of all hooks of its kind together. [Hooks.Any] and [Hooks.SetClient] return
//     immediately.
//   - A file is read only if its hooks may run: docs/decisions/0013-hooks-from-files.md.
package hook
