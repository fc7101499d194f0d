// Package workspace keeps what a session has beside its log: the plan, the files of
// clients and of the model, the checkpoints of the conversation, outputs of tools that
// are too long to be read at once, the session's database, and a description of the
// session for people.
//
// A [Store] keeps the bytes, by session and name; package workspacetest is the suite
// that every implementation passes, and has one in memory. [Disk] is the one that users
// run: a folder for each session. A [Workspace] is that of one session, and knows what the
// names mean. It does its own locking, and everything that waits for storage runs on the
// caller's goroutine.
//
// A store whose files are not on this machine returns "" for the path of each. The session then
// has no database, unless a client keeps it (session/files/database.go, Database), and no plan that
// tools can open (session/storage.go, planForTools).
//
//	plan.md                   the plan, which the model may write to
//	files/                    files of clients and the model
//	checkpoints/index.md      the list of summaries, and a file for each
//	snapshots/                what files were before tools changed them
//	temp/                     outputs of tools, the newest 200
//	session.db                the session's database
//	client-metadata.json      what clients note
//	workspace.yaml            the description, derived from the log
package workspace
