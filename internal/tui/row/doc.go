// Package row has rows of styled text: what the parts of the terminal interface (package tui)
// draw, and what package screen writes to the terminal.
//
// A [Row] is a value: pieces of text, each with a [Style] that says what the text means, such as
// Added or Keyword. A [Theme] turns a row into the bytes for a terminal. Tests compare rows
// without a terminal and without colours.
//
// Widths are columns of a terminal. Text is measured and cut by grapheme clusters, so that a
// joined emoji or a letter with its marks stays whole; where terminals show the parts of a cluster
// side by side, each part counts.
package row
