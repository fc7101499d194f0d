// Package tree opens and visits folders and files without following symbolic links, and leaves out
// what .gitignore excludes. The tools of the model use it, and the completion of files.
//
//   - resolve.go: [Resolve], a path with its links followed.
//   - open.go: [OpenDir], [OpenFile]: opening resolved paths, also if links are put there meanwhile.
//   - walk.go: [Tree]: the files below a folder.
package tree
