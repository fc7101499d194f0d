package question

import (
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// form is what the user has filled into a form so far.
type form struct {
	fields *tool.Form
	keys   *keymap.Table
}

func newForm(q *question.Question, keys *keymap.Table) *form {
	return &form{fields: q.Fields, keys: keys}
}

func (f *form) paste(string) bool { return false }

func (f *form) foot() row.Row { return nil }

func (q *Queue) fill(e *entry, k input.Key, action string) Result { return Result{Taken: true} }

func (b *drawing) form() ([]row.Row, *composer.Position) { return nil, nil }
