package question

import (
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
)

// form is what the user has filled into a form so far.
type form struct{ fields *tool.Form }

func newForm(f *tool.Form) *form { return &form{fields: f} }

func (f *form) paste(string) bool { return false }

func (q *Queue) fill(e *entry, k input.Key) Result { return Result{Taken: true} }
