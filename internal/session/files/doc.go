// Package files is what a session keeps beside its log, as clients use it: the plan, files and
// pastes, checkpoints, notes, a description in workspace.yaml, and a database for the model.
//
// [New] makes the [Workspace] of a session, which it knows as a [Session]. Where the files are is a
// matter of package workspace; this package makes changes only while the session has the claim on
// its log, and records them.
package files
