package tool

import (
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// smallTexts are the tools of the small set, whose definitions have files of their own.
var smallTexts = lazy.Value[map[string]*described]{Make: func() map[string]*described {
	texts := map[string]*described{}
	for _, f := range fact.All() {
		if f.Small {
			texts[f.Name] = &described{name: f.Name, files: f.Name + ".small"}
		}
	}
	return texts
}}

// Small returns the definition by which a built-in tool is offered in the small set, for models with little
// room: the same tool, of which the model reads less. Arguments that the short schema leaves out work
// as ever. false if the small set does not have the tool.
func Small(d Definition) (Definition, bool) {
	if d.Origin != Builtin {
		return d, false
	}
	t := smallTexts.Get()[d.Name]
	if t == nil {
		return d, false
	}
	short := t.Get()
	d.Description, d.Parameters = short.Description, short.Parameters
	return d, true
}
