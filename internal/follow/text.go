package follow

import "strings"

// text joins the streamed pieces of a message with its complete text, which comes at the
// end.
type text struct {
	message string // id of the streaming message
	passed  []byte // its text so far, from the beginning
	gap     bool   // pieces are missing after passed
}

// piece passes on a piece of a streaming message. If pieces before it are missing, it leaves
// the rest of the message to whole.
func (t *text) piece(message, piece string, display Display) error {
	if t.gap {
		return nil
	}
	return t.pass(message, piece, display)
}

// whole passes on the part of a message that has not streamed: all of it, if the provider
// does not stream. If the complete text does not begin with the streamed text, the shown
// text cannot be corrected, and nothing is passed on.
func (t *text) whole(message, content string, display Display) error {
	rest := content
	if message == t.message {
		var continues bool
		if rest, continues = strings.CutPrefix(content, string(t.passed)); !continues {
			rest = ""
		}
	}
	return t.pass(message, rest, display)
}

func (t *text) pass(message, piece string, display Display) error {
	if piece == "" {
		return nil
	}
	begins := message != t.message
	if begins {
		t.message, t.passed = message, t.passed[:0]
	}
	t.passed = append(t.passed, piece...)
	return display.Text(piece, begins)
}
