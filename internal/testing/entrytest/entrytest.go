// Package entrytest makes runtimes with a scripted model, for tests of the line mode and of the terminal
// interface.
package entrytest

import (
	"io"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// Runtime is a runtime in a home of its own, whose model gives the replies. The test closes it.
func Runtime(t *testing.T, with wiring.Adjust, replies ...modeltest.Reply) *entry.Runtime {
	t.Helper()
	server := modeltest.NewServer(replies...)
	t.Cleanup(server.Close)
	url, err := server.Listen()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SIDESTICK_HOME": t.TempDir(), "SIDESTICK_BASE_URL": url + "/v1", "SIDESTICK_MODEL": "scripted"}
	cfg, err := config.Load(config.Flags{}, func(name string) string { return env[name] }, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := wiring.Build(cfg, cli.System{Stderr: io.Discard}, with)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	o := &cli.Options{Sys: cli.System{Stderr: io.Discard, Getenv: func(string) string { return "" }}}
	return &entry.Runtime{Options: o, Parts: p, Peer: entry.NewPeer()}
}
