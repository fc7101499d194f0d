package session

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client that joins with a token, and says neither its name nor whether to use WebSockets, resets neither; what it
// says counts.
func TestAJoinWithATokenAloneKeepsTheRest(t *testing.T) {
	on := true
	var c configuration
	if got := c.keptBy(wire.Config{GitHubToken: "t"}); got.ClientName != "" || got.Capi.WebSockets != nil {
		t.Errorf("the first client gets the name %q and WebSockets %v", got.ClientName, got.Capi.WebSockets)
	}
	c = configuration{configured: true, providers: provider.Set{ClientName: "first", Own: provider.Provider{NoWebSockets: true}}}
	got := c.keptBy(wire.Config{GitHubToken: "t"})
	if got.ClientName != "first" {
		t.Errorf("the client's name is %q", got.ClientName)
	}
	if off := got.Capi.WebSockets; off == nil || *off {
		t.Error("WebSockets are switched on again")
	}
	got = c.keptBy(wire.Config{GitHubToken: "t", ClientName: "second", Capi: wire.CapiOptions{WebSockets: &on}})
	if got.ClientName != "second" || !*got.Capi.WebSockets {
		t.Errorf("the client that says both gets %q and %v", got.ClientName, *got.Capi.WebSockets)
	}
}
