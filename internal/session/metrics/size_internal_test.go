package metrics

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// The definitions of tools of MCP servers are counted twice: among all, and by themselves. Those that are deferred are counted apart.
func TestFootprintOfTools(t *testing.T) {
	var f Footprint
	f.offer(&offer.Chosen{Definition: tool.Definition{Name: "view", Description: "Shows.", Parameters: []byte("{}"), Origin: tool.Builtin}, Sent: true})
	f.offer(&offer.Chosen{Definition: tool.Definition{Name: "add", Description: "Adds.", Origin: tool.MCP, Server: "calc"}, Sent: true})
	f.offer(&offer.Chosen{Definition: tool.Definition{Name: "sub", Description: "Subtracts.", Origin: tool.MCP, Server: "calc"}, Deferred: true})
	if want := (Footprint{Tools: 20, ServerTools: 8, Deferred: 13, DeferredTools: 1}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
}
