package compact_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/compact"
)

// A refusal corrects what a token is taken to have, within reason, and not for pictures.
func TestARefusalTellsTheRatio(t *testing.T) {
	text := []model.Message{{Role: model.RoleUser, Content: strings.Repeat("x", 4000)}}
	picture := []model.Message{{Role: model.RoleUser, Parts: []model.Part{{ImageURL: "data:image/png;base64,AA=="}}}}
	for name, tc := range map[string]struct {
		e     model.Error
		sent  []model.Message
		want  float64 // 0: near 4000 divided by the tokens
		near  float64
		known bool
	}{
		"both numbers":            {e: model.Error{Prompt: 2000, Limit: 1000}, sent: text, near: 2, known: true},
		"the limit, less than it": {e: model.Error{Limit: 2000}, sent: text, near: 2, known: true},
		"the limit, more than it": {e: model.Error{Limit: 500}, sent: text, want: 4, known: true},
		"no numbers":              {sent: text, want: 4, known: true},
		"a mistake":               {e: model.Error{Prompt: 1}, sent: text, want: 16, known: true},
		"a picture":               {e: model.Error{Prompt: 2000}, sent: picture, want: 4},
	} {
		got, known := compact.Ratio(&tc.e, &model.Request{Messages: tc.sent}, 4)
		if known != tc.known || tc.want != 0 && got != tc.want || tc.near != 0 && (got < tc.near || got > tc.near*1.1) {
			t.Errorf("%s: %g, known %t", name, got, known)
		}
	}
}
