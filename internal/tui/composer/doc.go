// Package composer is the input box: the text that the user writes, with its cursor, undo, killed
// text, folded pastes, attachments, history and completion.
//
// A [Composer] is a value: [Composer.Key] and [Composer.Paste] change it, [Composer.Rows] draws it,
// and [Composer.Take] returns what is to be sent. It knows no session, terminal, file or clock.
// It returns what the caller has to do as an [Action].
//
//   - composer.go: [Composer]: its settings, what is in it, [Draft].
//   - key.go: [Composer.Key] and [Action]; commands.go: what the actions of the table of keys do.
//   - text.go: lines of text, and the one function that changes them; undo.go: changes that can be
//     undone.
//   - grapheme.go: characters as the user sees them, and how they are shown; layout.go: rows that
//     lines are wrapped to.
//   - atom.go: characters that stand for a folded paste or an attachment; paste.go: pasted text.
//   - move.go: moves of the cursor; edit.go: changes; kill.go: text that was cut out and comes back.
//   - recall.go: history and the draft put aside; search.go: search of the history.
//   - offer.go: completion of files and commands.
//   - vim.go, vimmotion.go: the keys of vi: modes, operators, counts; motions and text objects.
//   - draw.go: rows.
package composer
