package session

import (
	"crypto/sha256"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

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
	known map[[sha256.Size]byte]*sheet
}

// of returns the sheet of a definition.
func (s *sheets) of(d tool.Definition) *sheet {
	key := content(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[key]; known != nil {
		return known
	}
	if s.known == nil || len(s.known) >= maxSheets {
		s.known = map[[sha256.Size]byte]*sheet{}
	}
	made := newSheet(d)
	s.known[key] = made
	return made
}

// content is the digest of what a sheet is made of.
func content(d tool.Definition) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, part := range []string{d.Name, d.Description, string(d.Parameters)} {
		_, _ = h.Write([]byte(part)) // a hash takes everything
		_, _ = h.Write([]byte{0})
	}
	h.Sum(sum[:0])
	return sum
}

func newSheet(d tool.Definition) *sheet {
	sent := model.Tool{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	if encoded, err := sent.Encoded(); err == nil { // else the call says what is wrong
		sent = encoded
	}
	return &sheet{tool.NewSchema(d.Parameters), sent}
}
