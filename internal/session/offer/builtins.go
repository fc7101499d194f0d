package offer

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// Builtins is the built-in tools of a session as a [tool.Source]. They change only in the skills
// and agents that the descriptions of the tools list, and in the form of the tool that asks the
// user. It belongs to the session's goroutine.
type Builtins struct {
	all            []tool.Tool
	skills, agents string    // that the tools list
	form           tool.Tool // asks the user with forms, and replaces ask_user; nil: it does not
	changed        Signal
}

// NewBuiltins returns the source of these tools.
func NewBuiltins(all []tool.Tool) *Builtins { return &Builtins{all: all} }

// Tools implements [tool.Source].
func (b *Builtins) Tools() []tool.Tool {
	if b.form == nil {
		return b.all
	}
	all := slices.Clone(b.all)
	for i, t := range all {
		if t.Definition().Name == fact.AskUser {
			all[i] = b.form
		}
	}
	return all
}

// Changed implements [tool.Source].
func (b *Builtins) Changed() <-chan struct{} { return b.changed.Next() }

// AskWithForms sets whether the tool that asks the user shows forms, which user does then.
func (b *Builtins) AskWithForms(yes bool, user tool.User) {
	if yes == (b.form != nil) {
		return
	}
	b.form = nil
	if yes {
		b.form = tool.AskForm(user)
	}
	b.changed.Send()
}

// Describe sets which skills and agents the descriptions of the tools list now.
func (b *Builtins) Describe(skills, agents string) {
	if skills != b.skills || agents != b.agents {
		b.skills, b.agents = skills, agents
		b.changed.Send()
	}
}
