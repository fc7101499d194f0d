package session

import "github.com/sidestick-dev/sidestick/internal/tool"

// Toolbox is the built-in tools of one session, and how to end what they have
// started.
type Toolbox struct {
	Tools []tool.Tool
	// Close ends processes and closes files. It is called when the session leaves
	// memory, on its goroutine, and is to be quick; nil: there is nothing to end.
	Close func()
}

// offer is a tool as a source has it on offer.
type offer struct {
	tool.Tool
	*sheet
	definition tool.Definition
}

// offers is what a source has on offer, looked up again when the source has changed. It
// belongs to the session's goroutine.
type offers struct {
	list    []offer
	looked  bool
	changed <-chan struct{}
}

// now returns what is on offer.
func (o *offers) now(from tool.Source, sheets *sheets) []offer {
	select {
	case <-o.changed:
		o.looked = false
	default:
	}
	if !o.looked {
		o.looked, o.changed, o.list = true, from.Changed(), nil
		for _, t := range from.Tools() {
			d := t.Definition()
			o.list = append(o.list, offer{t, sheets.of(d), d})
		}
	}
	return o.list
}

// builtins is the built-in tools of a session as a source. They change only in what the
// tool that loads skills says of them.
type builtins struct {
	Toolbox
	offers  offers
	listed  string // the skills that the tool lists
	changed chan struct{}
}

// Tools implements [tool.Source].
func (b *builtins) Tools() []tool.Tool { return b.Toolbox.Tools }

// Changed implements [tool.Source].
func (b *builtins) Changed() <-chan struct{} { return b.changed }

// describeSkills notes which skills are listed now.
func (b *builtins) describeSkills(listing string) {
	if listing != b.listed {
		b.listed = listing
		close(b.changed)
		b.changed = make(chan struct{})
	}
}
