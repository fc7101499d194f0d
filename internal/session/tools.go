package session

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/model"
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

// offer is a tool with the schema that its calls must fit.
type offer struct {
	tool.Tool
	*sheet
}

// sheet is what is made of a definition once: the check of calls, and what the model
// is sent.
type sheet struct {
	schema *tool.Schema
	sent   model.Tool
}

func newSheet(d tool.Definition) *sheet {
	sent := model.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	if encoded, err := sent.Encoded(); err == nil { // else the call says what is wrong
		sent = encoded
	}
	return &sheet{tool.NewSchema(d.Parameters), sent}
}

// toolbox returns the session's built-in tools, which are made when first needed:
// most sessions of a large server are asleep.
func (s *Session) toolbox() *Toolbox {
	if s.builtins == nil {
		s.builtins = &Toolbox{}
		if s.reg.opts.Tools != nil {
			*s.builtins = s.reg.opts.Tools(host{s})
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
	return slices.ContainsFunc(s.toolbox().Tools, func(t tool.Tool) bool { return t.Definition().Name == name })
}

// offered are the tools that the filter lets through: first the built-in ones, but
// for those that a client's tool takes the place of, then those of all attached
// clients, in the order in which they came.
func (s *Session) offered() []offer {
	var out []offer
	for _, t := range s.toolbox().Tools {
		d := t.Definition()
		if s.offersTo(s.agents.Main, d) && s.usable(d.Name) && s.owner(d.Name) == nil {
			out = append(out, offer{t, s.reg.sheet(d)})
		}
	}
	for _, c := range s.clients {
		for _, t := range c.tools {
			if s.offersTo(s.agents.Main, t.def) {
				out = append(out, offer{t, t.described()})
			}
		}
	}
	return out
}

// offersTo reports whether an agent may use a tool in this session.
func (s *settings) offersTo(a agent.Definition, d tool.Definition) bool {
	return s.filter.Offers(string(d.Source), d.Name) && a.Offers(string(d.Source), d.Name)
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

// sheet returns that of a built-in tool, one for all sessions. A tool that describes
// itself otherwise in each session has one of its own each time.
func (r *Registry) sheet(d tool.Definition) *sheet {
	if known, ok := r.sheets.Load(d.Name); ok {
		if s := known.(*sheet); s.sent.Description == d.Description {
			return s
		}
		return newSheet(d)
	}
	made, _ := r.sheets.LoadOrStore(d.Name, newSheet(d))
	return made.(*sheet)
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
