// Package list lets the user choose one of many entries: sessions, models, earlier input. It is a
// value: keys change it, and Rows shows it.
//
// Typed text filters the entries. The entry that is chosen has a preview, to the right
// of the list where the terminal is wide, below it otherwise. A list can have further actions,
// such as renaming and deleting; what they do is the caller's matter, who learns of them by an
// [Outcome].
package list
