package metrics

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// The definitions of tools of MCP servers are counted twice: among all, and by themselves.
func TestFootprintOfTools(t *testing.T) {
	var f Footprint
	f.offer(&tool.Definition{Name: "view", Description: "Shows.", Parameters: []byte("{}"), Origin: tool.Builtin})
	f.offer(&tool.Definition{Name: "add", Description: "Adds.", Origin: tool.MCP, Server: "calc"})
	if want := (Footprint{Tools: 20, ServerTools: 8}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
}
