// Package diff makes rows of unified diffs: line numbers, signs, the colours of the language in
// unchanged lines, and the words that changed within a line.
//
// A [Diff] is read once, which costs little even for 100,000 lines, and its rows are made when
// they are shown:
//
//	d := diff.Parse(text)
//	for i := range d.Len() {
//		rows = append(rows, d.Row(i, width))
//	}
//
// Added and removed lines have signs, so that they differ without colours. Text is exposed
// ([timeline.Exposed]), because the user decides about it: characters that would not be seen are
// shown as their numbers.
package diff
