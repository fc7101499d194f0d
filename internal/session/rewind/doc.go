// Package rewind takes a session back: its conversation, and the files that its built-in tools have changed.
//
// A [History] is the events that are still part of a session. What [History.Truncate] removes stays in the log, and
// leaves the conversation; [History.Clear] begins a new one. [Files] restores files, and lists the differences.
//
// A session that a client created with enableFileChangeTracking keeps what each file was before a
// built-in tool changed it. [Files.Track] wraps the tools for that: the old version goes into the
// workspace of the session, and an event about it, a wire.FileCapture, into the log. Everything
// else is computed from these events when a client asks. Changes by commands are not seen.
//
// # To change something
//
// What a rewind restores: track.go (Track, Run) records what a call has changed; today that is
// only done for calls with a permit.Write. turns.go sums up these records and does not depend on
// what made them. permit/request.go (Command, Paths) has the paths that a command may read or write,
// as far as they are known; a command in the background changes files after its call has returned.
//
// What the package needs of a session: a method of [Session], or a field of [Options] if it is the
// same for the whole life of the session; session/rewind.go has both. What a history needs is a method of [Log].
//
// # What always holds
//
//   - A capture restores a file only if this session has made it on this machine: a log grants
//     nothing. A fork, or a log from elsewhere, restores none.
//   - A file that something else has changed since is not touched, and no link is followed.
//   - If restoring one file fails, the others are changed back, and the history stays.
//   - git runs without hooks, without programs that the repository names, and writes nothing.
package rewind
