package composer

import (
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// command is what an action of the table of keys does in the box.
type command func(c *Composer) Action

// moves is a command that moves the cursor.
func moves(to func(c *Composer, p place) place) command {
	return func(c *Composer) Action { c.cursor = to(c, c.cursor); return None }
}

// edits is a command that changes the text.
func edits(do func(c *Composer)) command {
	return func(c *Composer) Action { do(c); return None }
}

// commands are the actions of package keymap that the box carries out.
var commands = lazy.Value[map[string]command]{Make: func() map[string]command {
	return map[string]command{
		keymap.Send:          (*Composer).enter,
		keymap.Newline:       edits(func(c *Composer) { c.change(c.cursor, c.cursor, "\n", typing) }),
		keymap.Queue:         (*Composer).completeNow,
		keymap.Left:          moves((*Composer).left),
		keymap.Right:         moves((*Composer).right),
		keymap.WordLeft:      moves((*Composer).wordLeft),
		keymap.WordRight:     moves((*Composer).wordRight),
		keymap.LineStart:     moves((*Composer).lineBegin),
		keymap.LineEnd:       moves((*Composer).lineEnd),
		keymap.TextStart:     moves(func(*Composer, place) place { return place{} }),
		keymap.TextEnd:       moves(func(c *Composer, _ place) place { return c.text.end() }),
		keymap.Up:            (*Composer).up,
		keymap.Down:          (*Composer).down,
		keymap.Older:         edits(func(c *Composer) { c.older() }),
		keymap.Newer:         edits(func(c *Composer) { c.newer() }),
		keymap.SearchHistory: edits((*Composer).searchOlder),
		keymap.Backspace:     edits((*Composer).eraseBack),
		keymap.Delete:        edits((*Composer).eraseForward),
		keymap.KillToEnd:     edits((*Composer).killLine),
		keymap.KillToStart:   edits((*Composer).killLineBack),
		keymap.KillWordLeft:  edits(func(c *Composer) { c.kill(c.wordLeft(c.cursor), c.cursor) }),
		keymap.KillWordRight: edits(func(c *Composer) { c.kill(c.cursor, c.wordRight(c.cursor)) }),
		keymap.Yank:          edits((*Composer).yank),
		keymap.YankPop:       edits((*Composer).yankOlder),
		keymap.Undo:          edits(func(c *Composer) { c.undo() }),
		keymap.Redo:          edits(func(c *Composer) { c.redo() }),
		keymap.Stash:         edits((*Composer).swapStash),
		keymap.Output:        (*Composer).unfold,

		keymap.CompletionAccept: (*Composer).accept,
		keymap.CompletionEnter:  (*Composer).acceptMeant,
		keymap.CompletionUp:     edits(func(c *Composer) { c.popup.Move(-1) }),
		keymap.CompletionDown:   edits(func(c *Composer) { c.popup.Move(1) }),
		keymap.CompletionClose:  edits((*Composer).closePopup),
	}
}}
