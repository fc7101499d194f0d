// Package front is the program behind the terminal interface of package tui: it opens the sessions that the
// interface shows, carries out slash commands, and has the editor, the clipboard and the history. [Show] is
// for sessions of this process, [Connect] for those of a server.
//
//   - front.go: Show; what the interface uses of this machine. goodbye.go: the line after it.
//   - embedded.go: a session of this process, as the interface uses it.
//   - effects.go: its slash commands. Those without a page are carried out by package chat, which prints.
//   - filler.go: lists that are filled beside the interface, and again when something has changed.
//   - pick_models.go: /model, /effort. pick_sessions.go: /sessions, /resume; pick_texts.go: what their
//     search finds. pick_tasks.go: /tasks, /background. pick_mcp.go: /mcp. pick_agents.go: /agents.
//     pick_skills.go: /skills. pick_rules.go: /rules. pick_rewind.go: /rewind, /undo. pick_diff.go: /diff.
//   - read_help.go: /help and completion. read_show.go: /show, /usage. read_window.go: /context.
//   - copy.go: /copy.
//
// Sessions of a server (package remote):
//
//   - connect.go, connect_far.go: Connect, also for a server on another machine. attached.go: the session, as the
//     interface uses it; answering.go: what it has in common with embedded.go.
//   - guest.go, guest_sessions.go: what the commands do there, and which of them do not work.
//
// # To change something
//
// A command: the comment of package session/slash. Its function is in effects (effects.go) and, if it works on a server, in
// effects (guest.go); what both have in common is a method of desk (front.go), or takes what differs as
// an argument: see sessionStore (pick_sessions.go), rewinder (pick_rewind.go) and review (pick_diff.go). A command that only the
// interface has is in own (read_help.go). Completion of its arguments is in Arguments (read_help.go, guest.go).
//
// A list or a view: the comment of package tui/page. A setting of the interface: that of package config; options (front.go)
// passes it on.
//
// Something that the interface needs of a session: a method of [tui.Session], here in embedded.go and attached.go.
// The tests of both ways are in session_test.go: ways (seat_test.go) runs a test in a session of this process and
// in one of a server.
package front
