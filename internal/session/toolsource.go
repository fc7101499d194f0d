package session

import (
	"slices"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Toolbox is the built-in tools of one session, and how to end what they have
// started.
type Toolbox struct {
	Tools []tool.Tool
	// Boxes are the sandboxes of the session, in which hooks run, too; nil: there are none.
	Boxes *sandbox.Boxes
	// ServerBoxes are those of the MCP servers, apart from Boxes, whose sandboxes may end
	// before the session; nil: there are none.
	ServerBoxes *sandbox.Boxes
	// Start starts a program of the user, with its output; nil: none can be started here.
	Start func(shell.Script, func(output string)) (*shell.Running, error)
	// Close ends processes and closes files. It is called once, when the session leaves
	// memory, after its last run; the session waits for it. nil: there is nothing to end.
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
	list    []*offer
	looked  bool
	changed <-chan struct{}
}

// now returns what is on offer.
func (o *offers) now(from tool.Source, sheets *sheets) []*offer {
	select {
	case <-o.changed:
		o.looked = false
	default:
	}
	if !o.looked {
		o.looked, o.changed, o.list = true, from.Changed(), nil
		for _, t := range from.Tools() {
			d := t.Definition()
			o.list = append(o.list, &offer{t, sheets.of(d), d})
		}
	}
	return o.list
}

// builtins is the built-in tools of a session as a source. They change only in what the
// tools that load skills and start sub-agents list, and in the shape of the tool that asks the
// user.
type builtins struct {
	Toolbox
	offers         offers
	skills, agents string    // that the tools list
	form           tool.Tool // asks the user with forms, and replaces ask_user; nil: it does not
	changed        signal
}

// Tools implements [tool.Source].
func (b *builtins) Tools() []tool.Tool {
	if b.form == nil {
		return b.Toolbox.Tools
	}
	all := slices.Clone(b.Toolbox.Tools)
	for i, t := range all {
		if t.Definition().Name == tool.AskUserName {
			all[i] = b.form
		}
	}
	return all
}

// askWithForms sets whether the user is asked with forms, which user are then.
func (b *builtins) askWithForms(yes bool, user tool.User) {
	if yes == (b.form != nil) {
		return
	}
	b.form = nil
	if yes {
		b.form = tool.AskForm(user)
	}
	b.changed.send()
}

// Changed implements [tool.Source].
func (b *builtins) Changed() <-chan struct{} { return b.changed.next() }

// describe notes which skills and agents are listed now.
func (b *builtins) describe(skills, agents string) {
	if skills != b.skills || agents != b.agents {
		b.skills, b.agents = skills, agents
		b.changed.send()
	}
}

// signal announces changes of a source to those that wait for the next one. The zero value
// is ready. It belongs to the session's goroutine.
type signal struct{ waiting chan struct{} }

// next returns a channel that the next send closes.
func (s *signal) next() <-chan struct{} {
	if s.waiting == nil {
		s.waiting = make(chan struct{})
	}
	return s.waiting
}

func (s *signal) send() {
	if s.waiting != nil {
		close(s.waiting)
		s.waiting = nil
	}
}

// sheet is what is made of a tool's definition once: the check of its calls, and what
// the model is sent of it.
type sheet struct {
	schema *tool.Schema
	sent   model.Tool
}

// maxSheets bounds the sheets that a process keeps. Sessions of one program share a few
// dozen; when there are more, all are made again.
const maxSheets = 4096

// sheets keeps the sheets of all sessions, by the content of the definition: two tools of
// one name may differ, and the same tool of a thousand clients is one sheet. It is safe
// for concurrent use.
type sheets struct {
	mu    sync.Mutex // guards the rest
	known map[content]*sheet
}

// content is what a sheet is made of.
type content struct{ name, description, parameters string }

// of returns the sheet of a definition.
func (s *sheets) of(d tool.Definition) *sheet {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[content{d.Name, d.Description, string(d.Parameters)}]; known != nil { // without a copy
		return known
	}
	if s.known == nil || len(s.known) >= maxSheets {
		s.known = map[content]*sheet{}
	}
	made := newSheet(d)
	s.known[content{d.Name, d.Description, string(d.Parameters)}] = made
	return made
}

func newSheet(d tool.Definition) *sheet {
	sent := model.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	if encoded, err := sent.Encoded(); err == nil { // otherwise the call of the model returns the error
		sent = encoded
	}
	return &sheet{tool.NewSchema(d.Parameters), sent}
}
