package tui

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Effect is what a command has the interface do. The zero value does nothing. Several fields may
// be set. Then and Close come first, then Session; the others take effect in the new session, in the order of
// the fields, and Quit and With last.
type Effect struct {
	// Text is shown as a notice, in several lines if it has some.
	Text string
	// Mode is the mode of further messages, "" for the present one.
	Mode string
	// Toggle takes back Mode, if that is the mode already: the mode is then the first one.
	Toggle bool
	// Session is entered, and the present one left.
	Session Session
	// Draft is put into the input box, or, if that has a text, into the history.
	Draft string
	// Send is sent as a message.
	Send *wire.Send
	// Copy is put into the clipboard, without its control characters.
	Copy string
	// Read opens a text in the pager.
	Read *pager.Pager
	// Follow, if it is not nil, takes the events since the command has begun, and returns the first
	// item of Read that has changed. It is called in the interface until the pager is closed. It has
	// to leave out what the command has read already.
	Follow func(e wire.Event) (changed int)
	// With makes a further effect of what is known of the conversation. It and all that uses the
	// conversation are called in the interface.
	With func(c *cell.Conversation) Effect
	// Pick opens a list.
	Pick *Picker
	// Edit lets the user edit a file in their editor, which has the terminal meanwhile.
	Edit *EditFile
	// Then is called in the interface, as for the entries of a list.
	Then func()
	// Close closes the list that the effect is of.
	Close bool
	// Quit leaves the interface.
	Quit bool

	meanwhile *meanwhile // the events since the command has begun; nil without a command
}

// inConversation reports whether what a command has done is to be read in the conversation: as its text, or in the events of
// the session. A message shows by itself what was typed.
func (e *Effect) inConversation() bool {
	elsewhere := e.Read != nil || e.Pick != nil || e.With != nil || e.Edit != nil || e.Copy != "" || e.Draft != "" || e.Then != nil || e.Quit
	return e.Send == nil && (e.Text != "" || !elsewhere)
}

// EditFile is a file that the user edits.
type EditFile struct {
	Path string
	// Then, if it is not nil, is called beside the interface when the editor has ended, and returns what the user reads.
	Then func(ctx context.Context) (said string, err error)
}

// Picker is a list, and what is done with its entries.
type Picker struct {
	List *list.List
	// Do carries out an outcome of a key, beside the interface. Closing the list needs no outcome.
	Do func(ctx context.Context, o list.Outcome) (Effect, error)
	// Opens, if it is not nil, says that Do opens a session for an outcome, in place of the present one.
	Opens func(o list.Outcome) bool
	// Whole says that Do also opens the whole preview of an entry in the pager. Without it, the
	// interface does so.
	Whole bool
	// Open, if it is not nil, is called when the list is shown. It may fill the list by work beside
	// the interface.
	Open func(beside Beside)
	// Event, if it is not nil, is called in the interface with what happens in the session while the
	// list is open.
	Event func(e follow.Event)
}

// Beside runs work beside the interface, and then what it returns in the interface, where lists may
// be changed. It does not wait.
type Beside func(work func(ctx context.Context) (then func()))
