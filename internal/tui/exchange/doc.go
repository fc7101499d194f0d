// Package exchange is what the input box exchanges with other programs of the user: its text with
// an editor, images and files with the clipboard and with windows that files are dropped from.
//
// Begin with [Edit], [Clipboard] and [Pasted].
package exchange
