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

	beside tui.Beside
	busy   bool
	again  bool // something has changed since it was read
}

// open is Open of a [tui.Picker].
func (f *filler) open(b tui.Beside) {
	f.beside = b
	f.load()
}

// load reads the list anew. If it changes meanwhile, it is read again afterwards.
func (f *filler) load() {
	if f.busy {
		f.again = true
		return
	}
	f.busy = true
	f.beside(func(ctx context.Context) func() {
		fill, err := f.read(ctx)
		return func() {
			f.busy = false
			if err != nil {
				f.list.Problems = []string{f.words(err)}
			} else {
				fill()
			}
			if f.again {
				f.again = false
				f.load()
			}
		}
	})
}
