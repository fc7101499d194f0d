package wiring

import (
	"bytes"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
)

// built is the parts of a program with a new home.
func built(t *testing.T, stderr *bytes.Buffer) *Parts {
	t.Helper()
	env := map[string]string{"SIDESTICK_HOME": filepath.Join(t.TempDir(), "home")}
	cfg, err := config.Load(config.Flags{}, func(name string) string { return env[name] }, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build(cfg, cli.System{Stderr: stderr, Getenv: func(string) string { return "" }}, Adjust{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A client that asks which tools there are gets the built-in ones, before any session.
func TestTheServerListsTheBuiltInTools(t *testing.T) {
	p := built(t, &bytes.Buffer{})
	c, hangUp := p.Dial()
	if err := c.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Tools []struct{ Name, Description string }
	}
	if err := c.Call(t.Context(), "tools.list", map[string]any{}, &answer); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range answer.Tools {
		names = append(names, tool.Name)
	}
	for _, want := range []string{"bash", "view", "edit", "grep", "skill", "task_complete"} {
		if !slices.Contains(names, want) {
			t.Errorf("tools.list has %q and not %s", names, want)
		}
	}
	hangUp()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestHangingUpIsNoNews: a connection that we drop, while the server writes to it,
// is not one that ended badly, and nothing of it is logged.
func TestHangingUpIsNoNews(t *testing.T) {
	var stderr bytes.Buffer
	p := built(t, &stderr)
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
