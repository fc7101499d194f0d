package session

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
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
		name string
		next *turn.Prompt
		most int64
	}{
		{"more of the same", request("m", long, "and"), 100 + 3 + frame},
		{"another text, as long and more", request("m", other, "and"), 1000 + 3 + 2*frame},
		{"another text behind a beginning", request("m", long, other), 100 + 1000 + frame},
		{"less", request("m", "and"), 3 + frame},
		{"another model", request("n", long, "and"), 1000 + 3 + 2*frame},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &thread{run: &run{budget: &wire.Budget{MaxTokens: 10_000}}, used: spent{purse: &purse{}}}
			first := request("m", long)
			_ = r.reserve(t.Context(), first)
			r.used.spend(turn.Usage{Tokens: model.Usage{Reported: true, Input: 100, Output: 10}, RequestBytes: first.Bytes()})
			_ = r.reserve(t.Context(), tc.next)
			if got := r.used.tokens + tc.most + int64(tc.next.Request.MaxOutputTokens); tc.next.Stop != nil || got != 10_000 {
				t.Errorf("the answer may have %d tokens, which makes %d of 10000 (%v)", tc.next.Request.MaxOutputTokens, got, tc.next.Stop)
			}
		})
	}
}

// A budget is the run's. A call is limited only where less remains than its answer could
// take, and never by more than the model or the configuration allows.
func TestABudgetLimitsACallByWhatRemains(t *testing.T) {
	for _, tc := range []struct {
		name     string
		budget   int64
		own      int // the limit that the request has already
		endpoint provider.Endpoint
		want     func(left int) int
	}{
		{"much more remains than any answer takes", 1_000_000, 0, provider.Endpoint{}, func(int) int { return 0 }},
		{"less remains than answers may take", 10_000, 0, provider.Endpoint{}, func(left int) int { return left }},
		{"the request has a limit", 10_000, 500, provider.Endpoint{}, func(int) int { return 500 }},
		{"the request's limit is more than remains", 10_000, 12_000, provider.Endpoint{}, func(left int) int { return left }},
		{"the configuration has a limit", 10_000, 0, provider.Endpoint{At: model.Endpoint{MaxOutputTokens: 4000}}, func(int) int { return 0 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &thread{run: &run{budget: &wire.Budget{MaxTokens: tc.budget}}, used: spent{purse: &purse{}}, endpoint: tc.endpoint}
			p := &turn.Prompt{Request: model.Request{Model: "m", MaxOutputTokens: tc.own, Messages: []model.Message{{Role: model.RoleUser, Content: "Hello."}}}}
			left := int(tc.budget - p.Bytes())
			_ = r.reserve(t.Context(), p)
			if want := tc.want(left); p.Stop != nil || p.Request.MaxOutputTokens != want {
				t.Errorf("the limit is %d (%v), want %d", p.Request.MaxOutputTokens, p.Stop, want)
			}
		})
	}
}

// A call that is lost has cost what it can have cost.
func TestALostCallCounts(t *testing.T) {
	r := &thread{run: &run{budget: &wire.Budget{MaxTokens: 10_000}}, used: spent{purse: &purse{}}}
	r.used.spend(turn.Usage{RequestBytes: 700, AnswerBytes: 50, Lost: true})
	if r.used.tokens != 750 {
		t.Errorf("it counts as %d tokens, want 750", r.used.tokens)
	}
}
