// Package exchange is what the input box exchanges with other programs of the user: its text with
// an editor, images and files with the clipboard and with windows that files are dropped from.
//
//   - editor.go: [Edit], a text that is open in the user's editor.
//   - clipboard.go: [Clipboard]: the image or the files of the clipboard; sources.go: the programs that
//     read it, for each system; tmux.go: what is copied in tmux.
//   - paths.go: [Pasted], the files that a pasted text names; image.go: which files are images.
//   - mention.go: [Mentioned], the files that a message names after an @.
package exchange
