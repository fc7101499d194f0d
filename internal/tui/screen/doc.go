// Package screen writes the terminal interface to a terminal: an inline region whose last rows
// are live, and the alternate screen for overlays.
//
// A [Screen] knows rows and nothing of what they mean. Rows of [Frame.Final] go to the terminal's
// own scrollback and are never touched again. Rows of [Frame.Live] are overwritten by the next
// frame:
//
//	s, err := screen.Open(tty, os.Getenv)
//	defer s.Restore()
//	err = s.Paint(screen.Frame{Final: done, Live: box, Cursor: caret}, now)
//
// A frame is one write, within a synchronized update, and has only the rows that changed; a
// frame that changes nothing writes nothing. Terminals move, wrap and cut what was written when
// their size changes. So nothing is painted until the size has rested, and then the rows that
// the live ones have become are counted and replaced. A Screen has no clock: times are passed
// in, and [Screen.Due] says when a frame that was held back is to be painted again.
//
// Inline, only CR, LF and the sequences CUU, CUF, EL and ED move or erase, which every terminal and
// every multiplexer knows. The scrollback is never cleared, and the mouse stays the terminal's.
package screen
