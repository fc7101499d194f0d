package provider

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/turn"
)

// The token count of one request says nothing about the text of another: bytes count as
// fewer tokens only where both begin alike.
func TestWhatARequestCanCost(t *testing.T) {
	request := func(name string, texts ...string) *turn.Prompt {
		p := &turn.Prompt{Request: model.Request{Model: name}}
		for _, text := range texts {
			p.Request.Messages = append(p.Request.Messages, model.Message{Role: model.RoleUser, Content: text})
		}
		return p
	}
	long, other := strings.Repeat("a", 1000), strings.Repeat("b", 1000)
	const frame = 32
	for _, tc := range []struct {
		name          string
		next          *turn.Prompt
		most, counted int64
	}{
		{"more of the same", request("m", long, "and"), 100 + 3 + frame, 100},
		{"another text, as long and more", request("m", other, "and"), 1000 + 3 + 2*frame, 0},
		{"another text behind a beginning", request("m", long, other), 100 + 1000 + frame, 100},
		{"less", request("m", "and"), 3 + frame, 0},
		{"another model", request("n", long, "and"), 1000 + 3 + 2*frame, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c Counted
			first := request("m", long)
			if n, counted := c.AtMost(first); n != first.Bytes() || counted != 0 {
				t.Errorf("the first request has at most %d tokens, want its %d bytes", n, first.Bytes())
			}
			c.Note(first.Request, 100)
			if n, counted := c.AtMost(tc.next); n != tc.most || counted != tc.counted {
				t.Errorf("it has at most %d tokens and at least %d, want %d and %d", n, counted, tc.most, tc.counted)
			}
		})
	}
}

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
