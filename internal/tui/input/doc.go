// Package input decodes the bytes that a terminal sends into keys, pasted text and answers.
//
// A [Decoder] is a value: it reads no terminal and has no clock. Feed it what was read
// ([github.com/sidestick-dev/sidestick/internal/terminal.TTY.Keys]), and call Flush when Due says so:
//
//	select {
//	case p := <-keys:
//		events = d.Feed(p, time.Now())
//	case <-timer: // set to d.Due()
//		events = d.Flush()
//	}
//
// Esc is a key, and also the beginning of the sequences of other keys. So an Esc waits
// [EscapeWait] for more, and Flush makes it the key. Sequences that are unknown, or that are
// answers to questions of other programs, are dropped whole: nothing of them is typed.
package input
