package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The user keeps a key for an address. A program that names the address, and no credential of its
// own, is called with it, unless the program is on another machine.
func TestAKeptKeyIsForProvidersWithoutACredential(t *testing.T) {
	const address = "http://own.test/v1"
	own := func(change func(*wire.Provider)) wire.Config {
		p := &wire.Provider{BaseURL: address, ModelID: "m"}
		change(p)
		return wire.Config{Provider: p}
	}
	for _, tc := range []struct {
		name   string
		config wire.Config
		want   string // the credential of the call
	}{
		{"no credential", own(func(*wire.Provider) {}), "Bearer kept for " + address},
		{"a key", own(func(p *wire.Provider) { p.APIKey = "of the client" }), "Bearer of the client"},
		{"a token", own(func(p *wire.Provider) { p.BearerToken = "of the client" }), "Bearer of the client"},
		{"headers", own(func(p *wire.Provider) { p.Headers = map[string]string{"X-Key": "of the client"} }), ""},
		{"another address", own(func(p *wire.Provider) { p.BaseURL = "http://other.test/v1" }), ""},
		{"one of several providers", wire.Config{
			Model:     "p/m",
			Providers: []wire.NamedProvider{{Name: "p", Provider: wire.Provider{BaseURL: address}}},
			Models:    []wire.ProviderModel{{ID: "m", Provider: "p"}},
		}, "Bearer kept for " + address},
		{"one of several, from another machine", wire.Config{
			Remote: true, Model: "p/m",
			Providers: []wire.NamedProvider{{Name: "p", Provider: wire.Provider{BaseURL: address}}},
			Models:    []wire.ProviderModel{{ID: "m", Provider: "p"}},
		}, ""},
		{"from another machine", func() wire.Config { c := own(func(*wire.Provider) {}); c.Remote = true; return c }(), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				d.stop()
				d.start(registry.Options{KeysAt: func(at string) func(context.Context, string) (string, error) {
					return func(context.Context, string) (string, error) {
						if at != address {
							return "", nil
						}
						return "kept for " + at, nil
					}
				}})
				tc.config.SessionID = "s1"
				s := d.create(tc.config)
				s.send("hi")
				s.until("session.idle")
				var got []string
				for _, r := range d.model.Requests() {
					got = append(got, r.Header.Get("Authorization"))
				}
				if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
					t.Error("credentials (-want +got):\n" + diff)
				}
				for _, e := range d.stored("s1") {
					if strings.Contains(string(e.Data), "kept for") {
						t.Errorf("%s has the key: %s", e.Type, e.Data)
					}
				}
			}, modeltest.Reply{Text: "x"})
		})
	}
}
