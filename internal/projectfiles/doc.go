// Package projectfiles is the one table of the files that this program reads of a project, of the
// user's folders, of a plugin and of a folder that a client names: where each kind is found, what
// it can start, grant or send, and who has to trust it. It is data, and functions that read this
// data. It opens no file; [Present] and [Linked] list folders.
//
// Everything that needs to know such a path takes it from here, so that a new kind, or a new
// folder for a known one, cannot be forgotten in one of these places:
//
//   - the loaders: packages prompt, session/discovery, session/hook, mcp, plugin and settings
//   - the protected names, which need approval before they are written: package permit takes
//     [Protected], and the sandbox takes the names of permit
//   - the files that the question about a folder's trust lists, and doctor: [Present]
//   - the table of docs/project-files.md: [Markdown]
//
// [At] answers what a path is and what it may do.
//
// To add a file, add an [Entry] to table.go and have its loader ask [Of]; then run the tests of
// this package and of package app with -update. internal/app/projectfiles_test.go fails for a
// path that the program opens and that no entry has.
package projectfiles
