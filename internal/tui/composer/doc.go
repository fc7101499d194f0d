// Package composer is the input box: the text that the user writes, with its cursor, undo, killed
// text, folded pastes, attachments, history and completion.
//
// A [Composer] is a value: [Composer.Key] and [Composer.Paste] change it, [Composer.Rows] draws it,
// and [Composer.Take] returns what is to be sent. It knows no session, terminal, file or clock.
// It returns what the caller has to do as an [Action].
package composer
