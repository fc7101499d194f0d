// Package keymap has the one table of the terminal interface's keys. Dispatch looks keys up in
// it, the help page and docs/terminal.md are written from it, and the user changes it in the
// settings file.
//
// An [Action] is something that the interface does when a key is pressed. It works in one
// [Focus]: the part of the interface that takes keys, such as the input box. Several of them take
// keys at the same time, the innermost first: see [Table.Lookup].
//
// Keys have the names of package input, such as "ctrl+r". A key can be a sequence, written with a
// space: "ctrl+x b".
//
//   - action.go: [Action], [Focus], and the names of the actions.
//   - defaults.go: the table of this program.
//   - table.go: [Table]: looking keys up, and the keys of an action.
//   - custom.go: the keys that the user has chosen, and what is refused.
//   - footer.go: the keys in the last row of a page.
//   - markdown.go: the table for docs/terminal.md.
package keymap
