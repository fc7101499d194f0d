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
//
// # To change something
//
// A key is a word in defaults.go; the tests say whether it is free. `go test ./internal/tui/keymap -update`
// writes docs/terminal.md, and `go test ./e2e/pictures -update` the pictures, whose footers name keys.
//
// A new action is a constant in action.go and a row in defaults.go. Its code is where its focus is:
//
//   - An action with a Command needs no code: its key runs the slash command (package session/slash). A command
//     that the terminal interface carries out itself is named in tui/actions.go (byCommand).
//   - Editor, Empty and Global: otherwise tui/actions.go (do), or tui/composer/commands.go (commands) if the
//     input box does it. A test of package composer demands that one of them does; callers in that
//     test has those of package tui.
//   - Completion: tui/composer/commands.go (commands).
//   - Question: tui/question/key.go (do, and markers for the letters of options) and formkey.go.
//   - Pager: tui/pager/pager.go (Key).
//   - List and History: tui/list/keys.go. A list has an action that is not about the list itself, such as
//     ListRename, only if its page has it in list.Config.Actions (package page); the Do of the tui.Picker
//     carries it out (app/front/pick_*.go).
package keymap
