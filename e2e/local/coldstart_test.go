//go:build local

package local

import (
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// A server that loads its model for longer than failed calls are tried again is no failure, and neither is one that
// then reads the prompt for longer than that.
func TestAColdStart(t *testing.T) {
	t.Parallel()
	p := before(t, model(t, modelOptions{Longest: 20}), 6*time.Second, 4*time.Second)
	s := create(t, start(t, t.TempDir(), "SIDESTICK_RETRY_FOR=1s"), copilot.SessionConfig{Provider: at(p.url)})
	answer := s.ask("Name a boat.")
	p.mu.Lock()
	refused, asked := p.refused, len(p.asked)
	p.mu.Unlock()
	t.Logf("the server refused %d calls while it loaded", refused)
	if answer == "" || refused == 0 || asked != 1 {
		t.Errorf("the answer is %q after %d refused calls and %d that got through; want an answer to one call:\n%s", answer, refused, asked, s.told())
	}
	if errors := all[*copilot.SessionErrorData](s); len(errors) > 0 {
		t.Errorf("errors:\n%s", s.told())
	}
}
