package provider

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// An answer has at most what the request, the configuration or the model says, in this order, and never more than
// the window.
func TestHowLongAnAnswerIsAtMost(t *testing.T) {
	for name, tc := range map[string]struct {
		e    Endpoint
		own  int
		want int64
	}{
		"nothing is known":        {want: assumedOutput},
		"the request has a limit": {e: Endpoint{At: model.Endpoint{MaxOutputTokens: 4000}}, own: 500, want: 500},
		"the configuration":       {e: Endpoint{At: model.Endpoint{MaxOutputTokens: 4000}, maxOutput: 128_000}, want: 4000},
		"the model's are short":   {e: Endpoint{maxOutput: 4096}, want: 4096},
		"the model's are long":    {e: Endpoint{maxOutput: 128_000}, want: 128_000},
		"the window is small":     {e: Endpoint{contextTokens: 8192}, want: 8192},
	} {
		if got := tc.e.LongestAnswer(model.Request{MaxOutputTokens: tc.own}); got != tc.want {
			t.Errorf("%s: an answer has at most %d tokens, want %d", name, got, tc.want)
		}
	}
}
