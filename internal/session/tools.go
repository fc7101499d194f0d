package session

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/sessiondb"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

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

// toolbox returns the session's built-in tools, which are made when first needed:
// most sessions of a large server are asleep.
func (s *Session) toolbox() *builtins {
	if s.builtins == nil {
		s.builtins = &builtins{changed: make(chan struct{})}
		if s.reg.opts.Tools != nil {
			s.builtins.Toolbox = s.reg.opts.Tools(host{s})
		}
	}
	return s.builtins
}

// putAway ends what the built-in tools have started.
func (s *Session) putAway() {
	if s.builtins != nil && s.builtins.Close != nil {
		s.builtins.Close()
	}
	s.builtins = nil
}

// builtin reports whether a tool of that name comes with this program.
func (s *Session) builtin(name string) bool {
	return slices.ContainsFunc(s.toolbox().Tools(), func(t tool.Tool) bool { return t.Definition().Name == name })
}

// offered are the tools that the filters let through: first the built-in ones, but for
// those that a client's tool replaces, then those of all attached clients, in the order
// in which the clients came.
func (s *Session) offered() []offer {
	s.toolbox().describeSkills(host{s}.SkillListing())
	var out []offer
	for _, o := range s.builtins.offers.now(s.builtins, &s.reg.sheets) {
		d := o.definition
		if s.config.offersTo(s.config.agents.Main, d) && s.usable(d.Name) && s.owner(d.Name) == nil {
			out = append(out, o)
		}
	}
	for _, c := range s.clients {
		for _, o := range c.offers.now(c, &s.reg.sheets) {
			if s.config.offersTo(s.config.agents.Main, o.definition) {
				out = append(out, o)
			}
		}
	}
	return out
}

// offersTo reports whether an agent may use a tool in this session.
func (c *configuration) offersTo(a agent.Definition, d tool.Definition) bool {
	return c.filter.Offers(string(d.Origin), d.Name) && a.Offers(string(d.Origin), d.Name)
}

// usable reports whether a built-in tool makes sense now: nobody is offered what
// cannot work.
func (s *Session) usable(name string) bool {
	switch name {
	case tool.AskUserName:
		return (approvalHost{s}).Latest(approval.AnswersQuestions) != nil
	case tool.ExitPlanModeName:
		return s.state.ModeNow() == modePlan && (approvalHost{s}).Latest(approval.DecidesOnPlans) != nil
	}
	if name == tool.SkillName {
		return host{s}.SkillListing() != ""
	}
	return true
}

// host is a session as its built-in tools see it; it implements [tool.Host].
type host struct{ s *Session }

func (h host) Cwd() string { return *h.s.at.Load() }

func (h host) Dir() string { return h.s.dir }

func (h host) Partial(c tool.Call, text string) {
	h.s.sayOfRun(&wire.ToolPartialResult{ToolCallID: c.ID, PartialOutput: text})
}

func (h host) Progress(c tool.Call, message string) {
	h.s.sayOfRun(&wire.ToolProgress{ToolCallID: c.ID, ProgressMessage: message})
}

// sayOfRun tells something of the run under way, unless that was aborted.
func (s *Session) sayOfRun(data wire.Data) {
	if r := s.working.Load(); r != nil {
		r.main.Emit(data)
	}
}

// Database implements [tool.Host].
func (h host) Database() (*sessiondb.DB, error) { return h.s.Database() }

// TodosChanged implements [tool.Host].
func (h host) TodosChanged() { h.s.TodosChanged() }
