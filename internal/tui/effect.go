package tui

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Effect is what a command has the interface do. The zero value does nothing. Several fields may
// be set; they take effect in their order.
type Effect struct {
	// Text is shown as a notice, in several lines if it has some.
	Text string
	// Mode is the mode of further messages, "" for the present one.
	Mode string
	// Session is entered, and the present one left.
	Session Session
	// Draft is put into the input box, if that is empty.
	Draft string
	// Send is sent as a message.
	Send *wire.Send
	// Copy is put into the clipboard.
	Copy string
	// Read opens a text in the pager.
	Read *pager.Pager
	// Pick opens a list.
	Pick *Picker
	// Close closes the list that the effect is of.
	Close bool
	// Quit leaves the interface.
	Quit bool
}

// Picker is a list, and what is done with its entries.
type Picker struct {
	List *list.List
	// Do carries out an outcome of a key, beside the interface. Closing the list needs no outcome.
	Do func(ctx context.Context, o list.Outcome) (Effect, error)
	// Load, if it is not nil, runs once, beside the interface, and returns what changes the list.
	Load func(ctx context.Context) (func(*list.List), error)
}
