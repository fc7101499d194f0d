// Package registry has the sessions of one home: it opens, closes, deletes, forks and lists them, and says which
// are in memory and what they do. What a session does is a matter of package session, which knows no registry: a [Registry] is
// the [session.Registrar] of its sessions.
//
// To get started, fill in [Options] and call [New]; Create and Resume of the [Registry] attach a
// [session.Client].
//
// The registry keeps a slot for the id of each session from the moment at which somebody begins to open it until it
// has left memory, so that a session is in memory once. It waits for every goroutine of its sessions when it closes.
//
// # To change something
//
// What a session finds of its home: an option in [Options], a field of [session.Home], and home, which fills it in.
//
// Where sessions are kept: [Options].Store and [Options].Workspaces, or a [Keeper], a client with a storage of its own.
//
// What is read of a stored session without opening it: Wishes, [Conversation], a [Reader] and the lists of package listing.
//
// What is known of a session in memory without asking it: [listing.Live], which package session fills in.
package registry
