package offer

import (
	"sync"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// sheet is what is made of a tool's definition once.
type sheet struct {
	Definition tool.Definition // as the tool described itself; nobody changes it
	Schema     *tool.Schema    // checks the arguments of a call
	Sent       model.Tool      // the definition as the model gets it
	// Unfit is why no provider would accept the definition, in words for the user; nil: they do.
	Unfit error
}

// maxSheets bounds the sheets that a process keeps. Sessions of one program share a few
// dozen; when there are more, all are made again.
const maxSheets = 4096

// Sheets keeps what is made of the definitions of tools for all sessions of a process. It looks
// at the content of a definition: two tools of one name may differ, and the same tool of a
// thousand clients is kept once. The zero value is ready. It is safe for concurrent use.
type Sheets struct {
	mu    sync.Mutex // guards the rest
	known map[content]*sheet
}

// content is what a sheet is made of: all of a definition.
type content struct {
	name, description, parameters                      string
	origin                                             tool.Origin
	server, serverTitle, serverTool, title             string
	readOnly, trusted, terminal, preloaded, repeatable bool
}

// of returns the sheet of a definition.
func (s *Sheets) of(d tool.Definition) *sheet {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.known[content{ // written out in the index, where the compiler does not copy the parameters
		d.Name, d.Description, string(d.Parameters), d.Origin, d.Server, d.ServerTitle, d.ServerTool, d.Title, d.ReadOnly, d.Trusted, d.Terminal, d.Preloaded, d.Repeatable,
	}]
	if known != nil {
		return known
	}
	if s.known == nil || len(s.known) >= maxSheets {
		s.known = map[content]*sheet{}
	}
	made := newSheet(d)
	s.known[content{
		d.Name, d.Description, string(d.Parameters), d.Origin, d.Server, d.ServerTitle, d.ServerTool, d.Title, d.ReadOnly, d.Trusted, d.Terminal, d.Preloaded, d.Repeatable,
	}] = made
	return made
}

// Tool returns a tool with what is made of its definition as it is now.
func (s *Sheets) Tool(t tool.Tool) *Tool { return &Tool{Tool: t, sheet: s.of(t.Definition())} }

func newSheet(d tool.Definition) *sheet {
	sent := model.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	sent, err := sent.Encoded()
	return &sheet{d, tool.NewSchema(d.Parameters), sent, err}
}
