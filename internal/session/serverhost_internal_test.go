package session

import (
	"context"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
)

// The address of a recording, which may come from elsewhere, is not sent the token: neither one that a client
// has named in its provider, nor one of the process.
func TestGitHubServerIsNotThatOfARecording(t *testing.T) {
	recorded := model.Endpoint{BaseURL: "https://recorded.test", Copilot: true}
	real := func(context.Context, string) string { return "https://api.test" }
	named := provider.Provider{Endpoint: recorded}
	named.Endpoint.Transport = &tape.Player{}
	for name, tc := range map[string]struct {
		home Home
		own  provider.Provider
	}{
		"of a client":     {Home{Copilot: provider.Provider{Endpoint: model.Endpoint{BaseURL: "https://api.test", Copilot: true}}}, named},
		"of the process":  {Home{Copilot: provider.Provider{Endpoint: recorded, Servers: real}, Tape: taped.Tape{Player: &tape.Player{}}}, provider.Provider{Endpoint: recorded}},
		"of both, at one": {Home{Copilot: provider.Provider{Endpoint: recorded, Servers: real}, Tape: taped.Tape{Player: &tape.Player{}}}, named},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Session{home: &tc.home, config: configuration{providers: provider.Set{Own: tc.own}}}
			if address := (serverHost{recorder{s: s}}).GitHub().Address(t.Context(), "t"); address != "https://api.test" {
				t.Errorf("the token goes to %s", address)
			}
		})
	}
}

// Where the account of a token is elsewhere, its servers are asked for there.
func TestGitHubServerIsThatOfTheAccount(t *testing.T) {
	copilot := provider.Provider{Endpoint: model.Endpoint{BaseURL: "https://api.test", BearerToken: "of the process", Copilot: true}}
	located := copilot
	located.Locate = func(context.Context, string) string { return "https://account.test" }
	other := provider.Provider{Endpoint: model.Endpoint{BaseURL: "https://own.test", BearerToken: "another secret"}}
	for want, at := range map[string]provider.Provider{"https://api.test": copilot, "https://account.test": located} {
		s := &Session{home: &Home{Copilot: at}, config: configuration{providers: provider.Set{Own: other}}}
		got := serverHost{recorder{s: s}}.GitHub()
		if address := got.Address(t.Context(), "t"); address != want || got.Token != "of the process" {
			t.Errorf("the server is at %s for the token %q, want %s and that of the process", address, got.Token, want)
		}
	}
}
