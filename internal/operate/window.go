package operate

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
)

// Window is what fills the model's window, estimated in tokens.
type Window struct {
	System, Tools, Conversation int64
	Limit                       int64 // of a prompt
}

// Used is the size of the next prompt.
func (w Window) Used() int64 { return w.System + w.Tools + w.Conversation }

// Free is what is left, 0 or more.
func (w Window) Free() int64 { return max(w.Limit-w.Used(), 0) }

// Percent is how much of the limit n tokens are.
func (w Window) Percent(n int64) float64 { return 100 * float64(n) / float64(max(w.Limit, 1)) }

// WindowOf measures the window of a session. It may ask the provider for its list of models.
func WindowOf(ctx context.Context, s *session.Session) (Window, error) {
	f, err := s.Metrics().Measure(ctx)
	if err != nil {
		return Window{}, err
	}
	limit, err := s.Metrics().PromptLimit(ctx, "")
	return Window{System: f.System, Tools: f.Tools, Conversation: f.Conversation, Limit: limit}, err
}
