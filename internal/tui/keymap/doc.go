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
// # To change something
//
// A key is a word in defaults.go; the tests say whether it is free. `go test ./internal/tui/keymap -update`
// writes docs/terminal.md, and `go test ./e2e/pictures -update` the pictures, whose footers name keys.
//
// A new action is a constant in action.go and a row in defaults.go.
package keymap
