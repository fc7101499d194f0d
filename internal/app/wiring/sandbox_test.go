package wiring_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

func TestTheNetworkOfASandbox(t *testing.T) {
	rules, err := wiring.NetworkRules(sandbox.Network{
		Allow: []string{"example.com", "*.example.org"}, Deny: []string{"bad.example.org"},
		AllowURLs: []string{"example.net"}, DenyURLs: []string{"example.edu"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for to, want := range map[permit.Connection]permit.Verdict{
		{Host: "example.com", Port: 443}: permit.Allow, {Host: "example.com", Port: 80}: permit.Allow, {Host: "example.com", Port: 22}: permit.Ask,
		{Host: "a.example.org", Port: 443}: permit.Allow, {Host: "bad.example.org", Port: 443}: permit.Deny,
		{Host: "example.net", Port: 443}: permit.Allow, {Host: "example.edu", Port: 443}: permit.Deny, {Host: "elsewhere.example", Port: 443}: permit.Ask,
	} {
		if got := rules.Connect(to); got.Verdict != want {
			t.Errorf("%s: %v (%s), want %v", to, got.Verdict, got.Why, want)
		}
	}
	if _, err := wiring.NetworkRules(sandbox.Network{Allow: []string{"no host"}}); err == nil {
		t.Error("a host that is none is accepted")
	}
}
