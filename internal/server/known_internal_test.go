package server

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
)

func TestListsAreCompletedFromTheCatalogue(t *testing.T) {
	yes, no := true, false
	published := known.Model{ContextTokens: 1000, OutputTokens: 100, Images: &yes, ReasoningEfforts: []string{"low"}}
	for _, tc := range []struct {
		name       string
		info, want model.Info
		found      known.Found
	}{
		{"nothing is known", model.Info{ID: "m", MaxPrompt: 5}, model.Info{ID: "m", MaxPrompt: 5}, known.Found{}},
		{
			"the list says nothing",
			model.Info{ID: "m"},
			model.Info{ID: "m", MaxContext: 1000, MaxOutput: 100, Vision: true, ReasoningEfforts: []string{"low"}},
			known.Found{Published: published},
		},
		{
			"the list says it",
			model.Info{ID: "m", MaxPrompt: 5, MaxOutput: 6, ReasoningEfforts: []string{"high"}},
			model.Info{ID: "m", MaxPrompt: 5, MaxOutput: 6, Vision: true, ReasoningEfforts: []string{"high"}},
			known.Found{Published: published},
		},
		{
			"the user says it",
			model.Info{ID: "m", MaxPrompt: 5, MaxOutput: 6, Vision: true},
			model.Info{ID: "m", MaxPrompt: 7, MaxOutput: 8, ReasoningEfforts: []string{"max"}},
			known.Found{Published: published, User: known.Model{PromptTokens: 7, OutputTokens: 8, Images: &no, ReasoningEfforts: []string{"max"}}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, complete(tc.info, tc.found)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
