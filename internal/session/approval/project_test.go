package approval

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/state"
)

// What settings of other programs in the project say: a rule that denies holds also if everything is allowed, one that
// allows is one more, a further folder may be read, and with dontAsk nobody is asked.
func TestWhatTheProjectSays(t *testing.T) {
	read := func(path string) permit.Request {
		return permit.Request{Kind: permit.Read, Tool: "view", Path: permit.Path{Name: path, Real: path}}
	}
	fetch := permit.Request{Kind: permit.URL, Tool: "web_fetch", Address: "https://example.com/"}
	rule := func(text string) []permit.Rule {
		r, err := permit.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		return []permit.Rule{r}
	}
	const question = permit.Outcome(255) // the user decides
	for name, tc := range map[string]struct {
		project Project
		q       permit.Request
		all     bool
		want    permit.Outcome
	}{
		"nothing":        {Project{}, fetch, false, question},
		"deny":           {Project{Rules: permit.Rules{Deny: rule("url(example.com)")}}, fetch, true, permit.Forbidden},
		"ask":            {Project{Rules: permit.Rules{Ask: rule("url(example.com)")}}, fetch, true, question},
		"allow":          {Project{Rules: permit.Rules{Allow: rule("url(example.com)")}}, fetch, false, permit.Approved},
		"a folder":       {Project{Rules: permit.Rules{Allow: rule("read"), Folders: permit.Folders{More: []string{"/lib"}}}}, read("/lib/a"), false, permit.Approved},
		"no folder":      {Project{Rules: permit.Rules{Allow: rule("read")}}, read("/lib/a"), false, question},
		"dontAsk":        {Project{Refuses: true}, fetch, false, permit.Forbidden},
		"dontAsk, allow": {Project{Refuses: true, Rules: permit.Rules{Allow: rule("url(example.com)")}}, fetch, false, permit.Approved},
	} {
		p := alone(&state.State{})
		p.program = &permit.Rules{All: tc.all}
		d := known(tc.q)
		d.project = tc.project
		got := question
		if decided, _ := p.decide(d, &tc.q); decided != nil {
			got = decided.Outcome
		}
		if got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}
