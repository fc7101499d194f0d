// Package front is the program behind the terminal interface of package tui: it opens the sessions that the
// interface shows, carries out slash commands, and has the editor, the clipboard and the history. [Show] is
// for sessions of this process, [Connect] for those of a server.
//
// # To change something
//
// A command: the comment of package session/slash. Its function is in the table effects: that of a
// desk if every session has it, with what a session does in its own way as a method of subject; else that of a session
// of this process, and that of one on a server, which refuses what it does not have. A command that only
// the interface has is in the list own. Completion of its arguments is in Arguments.
//
// A list or a view: the comment of package tui/page. A setting of the interface: that of package
// config; options passes it on.
//
// Something that the interface needs of a session: a method of [tui.Session], here for a session
// of this process and for one that is attached. The test helper ways runs a test in both.
package front
