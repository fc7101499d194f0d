package front

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
)

// filler fills a list, and fills it again when something has changed. Its methods are called in the
// interface.
type filler struct {
	words func(err error) string
	list  *list.List
	// read reads what the list shows, and returns what fills it.
	read func(ctx context.Context) (fill func(), err error)

	beside  tui.Beside
	reading tui.Reading
}

// open is Open of a [tui.Picker].
func (f *filler) open(b tui.Beside) {
	f.beside = b
	f.load()
}

// load reads the list anew. If it changes meanwhile, it is read again afterwards.
func (f *filler) load() {
	f.reading.Begin(f.beside, f.read, func(err error) { problem(f.beside, f.list, f.words, err) })
}

// problem shows an error in a list. The text for the user may have to be looked up, so that is done beside
// the interface.
func problem(beside tui.Beside, l *list.List, words func(error) string, err error) {
	beside(func(context.Context) func() {
		text := words(err)
		return func() { l.Problems = []string{text} }
	})
}
