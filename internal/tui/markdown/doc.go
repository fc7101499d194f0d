// Package markdown makes rows of the Markdown that models write, whole or while it arrives.
//
// [Rows] is for a text that is there. A [Stream] is for an answer that is written at the moment:
// what has become final is returned once and never changes, and the rest, which is short, can be
// asked for at each frame. Both give the same rows, because Rows uses a Stream.
//
// Each line is read once, so the cost of a frame depends on what has arrived since the last one,
// and not on the length of the answer. The dialect is CommonMark with GitHub's tables, tasks,
// strikethrough and addresses, with these differences:
//
//   - References ([text][label]) are text, because their definition may come later.
//   - HTML is text, and what it surrounds is Markdown. Footnotes are text too.
//   - A line without "|" ends a table. A table's columns are as wide as its first 50 rows need.
//   - A paragraph of more than 8 KB is parsed in parts.
//   - Lists are tight, except around items with more than text.
//
// Code is flush left, never wrapped, and has no frame, so that a copy of it is whole. Prose is
// wrapped between words at 100 columns at most.
package markdown
