package provider

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/known"
)

func TestAModelLearnsItsLimit(t *testing.T) {
	tooLong := func(limit int) error {
		return &fault.Error{Op: "model.Stream", Err: &model.Error{Category: model.CategoryContextLimit, Limit: limit}}
	}
	counted := func(in, out int64) *model.Response {
		return &model.Response{Usage: model.Usage{Input: in, Output: out, Reported: true}}
	}
	for _, tc := range []struct {
		name    string
		assumed bool
		limit   int64 // before
		dialect string
		resp    *model.Response
		err     error
		want    int64
	}{
		{"a smaller limit than known", false, 128_000, "", nil, tooLong(32_768), 32_768},
		{"a smaller limit than assumed", true, 128_000, "", nil, tooLong(8_192), 8_192},
		{"a larger limit than known", false, 100_000, "", nil, tooLong(200_000), 100_000},
		{"a larger limit than assumed", true, 128_000, "", nil, tooLong(200_000), 200_000},
		{"a limit that counts the answer", true, 128_000, anthropic.Name, nil, tooLong(200_000), 168_000},
		{"a small one of that", true, 128_000, anthropic.Name, nil, tooLong(40_000), 20_000},
		{"a very small one, of which our own text has more than half", true, 128_000, anthropic.Name, nil, tooLong(8_192), 6_144},
		{"no number", false, 128_000, "", nil, tooLong(0), 128_000},
		{"a number that is no limit", false, 128_000, "", nil, tooLong(20), 128_000},
		{"another failure", false, 128_000, "", nil, &model.Error{Category: model.CategoryQuery, Limit: 2000}, 128_000},
		{"an error of another kind", false, 128_000, "", nil, errors.New("no"), 128_000},
		{"more than assumed was accepted", true, 128_000, "", counted(140_000, 2_000), nil, 142_000},
		{"more than known was accepted", false, 128_000, "", counted(140_000, 2_000), nil, 128_000},
		{"less than assumed was accepted", true, 128_000, "", counted(1_000, 2_000), nil, 128_000},
		{"an agent has no limit", false, 0, "", nil, tooLong(2000), 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := Endpoint{Model: "m", facts: &Facts{catalogue: known.New(nil, "")}, contextTokens: tc.limit, assumed: tc.assumed, At: model.Endpoint{BaseURL: "http://a", Dialect: tc.dialect}}
			e.facts.learn(e.spot("m"), tc.resp, tc.err)
			if got := e.Window("m"); got != tc.want {
				t.Errorf("the limit is %d, want %d", got, tc.want)
			}
			if got := e.Window("other"); got != tc.limit {
				t.Errorf("the limit of another model is %d, want %d", got, tc.limit)
			}
		})
	}
}

// A window that the server itself has said is known as well as one from a list: an answer is bounded by it.
func TestWhatAServerHasSaidBoundsTheAnswer(t *testing.T) {
	e := Endpoint{
		Model: "m", facts: &Facts{catalogue: known.New(nil, "")}, contextTokens: DefaultContextTokens, assumed: true, limitFrom: WindowAssumed, open: true,
		At: model.Endpoint{BaseURL: "http://a", MaxOutputTokens: 32_000},
	}
	req := func() *model.Request {
		r := &model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: strings.Repeat("x", 4000)}}}
		e.capped(r)
		return r
	}
	if e.Sure("m") || req().MaxOutputTokens != 0 {
		t.Error("an assumed window counts as known")
	}
	e.facts.hear(e.spot("m"), model.Window{Tokens: 8192, Source: "the server's /props"})
	if got := req().MaxOutputTokens; !e.Sure("m") || got <= 0 || got > 8192-4000/4 {
		t.Errorf("the window is known: %v; the answer may have %d tokens", e.Sure("m"), got)
	}
}

// A process that has seen more models than it remembers forgets one for each new one, not all of them.
func TestAFullMapOfModelsLosesOneForANewOne(t *testing.T) {
	f := &Facts{catalogue: known.New(nil, "")}
	at := func(i int) spot { return spot{"http://a", strconv.Itoa(i)} }
	refused := func(i int) {
		f.change(at(i), func(w *window) { w.refused = 2000 })
		f.silent(at(i))
	}
	for i := range maxWindows + 10 {
		refused(i)
	}
	refused(maxWindows + 9) // which is there
	if len(f.windows) != maxWindows || len(f.asked) != maxWindows {
		t.Errorf("%d and %d models are remembered, want %d", len(f.windows), len(f.asked), maxWindows)
	}
	if f.of(at(maxWindows+9)).refused != 2000 {
		t.Error("the newest is forgotten")
	}
}

// A session may change its model during a run, and the agent of a session has its own.
func TestAnotherModelOfTheEndpointHasItsOwnLimitAndPrice(t *testing.T) {
	e := Endpoint{Model: "gpt-4.1", vendor: "openai", contextTokens: 1000, facts: &Facts{catalogue: known.New(nil, "")}}
	e.price = &known.Price{Rates: known.Rates{Input: 1}}
	for name, want := range map[string]struct {
		limit int64
		cost  float64
	}{"gpt-4.1": {1000, 1}, "gpt-6.2-sol": {922_000, 4}, "unknown": {1000, -1}} {
		r := &model.Response{Usage: model.Usage{Input: 1_000_000, Reported: true}}
		e.priced(name, r)
		cost := -1.0
		if r.Usage.Cost != nil {
			cost = *r.Usage.Cost
		}
		if got := e.Window(name); got != want.limit || cost != want.cost {
			t.Errorf("%s: a limit of %d and a cost of %g, want %+v", name, got, cost, want)
		}
	}
	e.fixed = true
	if got := e.Window("gpt-6.2-sol"); got != 1000 {
		t.Errorf("the client has set the limit to 1000, and it is %d", got)
	}
}

func TestFactsAreBounded(t *testing.T) {
	f := &Facts{}
	for i := range 2 * maxWindows {
		f.learn(spot{"http://a", string(rune(i))}, &model.Response{Usage: model.Usage{Input: 1, Reported: true}}, nil)
	}
	if n := len(f.windows); n > maxWindows {
		t.Errorf("%d models are remembered, want at most %d", n, maxWindows)
	}
}

// An answer is bounded by the model's output limit, or by the free part of the window if that is smaller, but never by less than what
// is kept free for answers.
func TestTheLongestAnswer(t *testing.T) {
	for _, tc := range []struct {
		name      string
		maxOutput int
		window    int64
		prompt    int // bytes
		want      int
	}{
		{"as much as the model can", 128_000, 968_000, 3000, 128_000},
		{"a short answer", 8192, 968_000, 3000, 8192},
		{"not known", 0, 968_000, 3000, 0},
		{"as much as the window leaves", 64_000, 168_000, 2 * 150_000, 50_000},
		{"at least what is kept free", 64_000, 168_000, 2 * 190_000, anthropic.DefaultLimit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := Endpoint{Model: "m", contextTokens: tc.window, maxOutput: tc.maxOutput, facts: &Facts{}}
			got := e.bound(model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: strings.Repeat("a", tc.prompt)}}})
			if short := tc.want - got; short < 0 || short > 50 { // the frame of the message counts, too
				t.Errorf("the bound is %d, want %d", got, tc.want)
			}
		})
	}
}

// A cap of 32,000 tokens does not take more than a quarter of a window of 8,192, in any dialect, and a server is
// never asked for more than the window has: some refuse a request for that.
func TestTheCapOfAnAnswerIsPartOfASmallWindow(t *testing.T) {
	tooLong := &fault.Error{Op: "model.Stream", Err: &model.Error{Category: model.CategoryContextLimit, Limit: 8192}}
	for _, tc := range []struct {
		name, dialect string
		cap           int // that is configured
		known         bool
		prompt        int // bytes
		window        int64
		most, least   int // tokens of the answer; 0: no bound is sent
	}{
		{"chat completions without a cap", "", 0, true, 12_000, 8192, 0, 0},
		{"chat completions", "", 32_000, true, 12_000, 6144, 2048, 1000},
		{"chat completions with a small cap", "", 500, true, 12_000, 7692, 500, 500},
		{"Anthropic Messages", anthropic.Name, 0, true, 12_000, 6144, 2048, 1000},
		{"a short prompt", anthropic.Name, 0, true, 400, 6144, 8000, 7000},
		{"a window that is not known", "", 32_000, false, 12_000, 128_000, 32_000, 32_000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := Endpoint{
				Model: "m", facts: &Facts{catalogue: known.New(nil, "")}, contextTokens: 128_000, assumed: true,
				At: model.Endpoint{BaseURL: "http://a", Dialect: tc.dialect, MaxOutputTokens: tc.cap},
			}
			if tc.known {
				e.facts.learn(e.spot("m"), nil, tooLong)
			}
			if got := e.Window("m"); got != tc.window {
				t.Errorf("a prompt may have %d tokens, want %d", got, tc.window)
			}
			req := model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: strings.Repeat("a", tc.prompt)}}}
			asked := req
			e.capped(&asked)
			got := asked.OutputLimit(&e.At)
			if tc.dialect == anthropic.Name {
				got = e.bound(req)
			}
			if got > tc.most || got < tc.least {
				t.Errorf("the answer may have %d tokens, want %d to %d", got, tc.least, tc.most)
			}
			if !tc.known && asked.MaxOutputTokens != 0 {
				t.Error("the request was changed")
			}
		})
	}
}
