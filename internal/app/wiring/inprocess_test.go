package wiring

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
)

// TestHangingUpIsNoNews: a connection that we drop, while the server writes to it,
// is not one that ended badly, and nothing of it is logged.
func TestHangingUpIsNoNews(t *testing.T) {
	env := map[string]string{"SIDESTICK_HOME": filepath.Join(t.TempDir(), "home")}
	cfg, err := config.Load(config.Flags{}, func(name string) string { return env[name] }, "")
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	p, err := Build(cfg, cli.System{Stderr: &stderr, Getenv: func(string) string { return "" }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 500 {
		c, hangUp := p.Dial()
		if err := c.Connect(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		answered := make(chan struct{})
		for range 4 {
			calls.Go(func() {
				for c.Call(t.Context(), "ping", map[string]any{}, nil) == nil {
					answered <- struct{}{}
				}
			})
		}
		for range n % 20 {
			<-answered
		}
		go func() { // nobody is held up
			for range answered {
			}
		}()
		hangUp()
		calls.Wait()
		close(answered)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if stderr.Len() > 0 {
		t.Errorf("logged:\n%s", stderr.String())
	}
}
