// Package tree opens and visits folders and files without following symbolic links, and leaves out
// what .gitignore excludes. The tools of the model use it, and the completion of files.
//
// Begin with [Resolve], [OpenDir] and [OpenFile].
package tree
