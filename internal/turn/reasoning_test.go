package turn_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// keeper is a host that keeps the answers it is to record, as JSON.
type keeper struct {
	host
	answers []string
}

func (k *keeper) Record(events ...wire.Data) error {
	for _, e := range events {
		if e.Type() == "assistant.message" {
			body, err := wire.Marshal(e)
			if err != nil {
				return err
			}
			k.answers = append(k.answers, string(body))
		}
	}
	return k.host.Record(events...)
}

// The protocol's fields describe a single piece of reasoning; several pieces describe
// themselves. How this is read again is tested in package state.
func TestReasoningIsRecordedWhole(t *testing.T) {
	here := model.Origin{Provider: "http://model.test/v1", Model: "m"}
	for name, tc := range map[string]struct {
		pieces []model.Reasoning
		want   string // the fields about reasoning
	}{
		"none":   {nil, ``},
		"text":   {[]model.Reasoning{{Text: "a \"b\"", Field: "reasoning", Origin: here}}, `"reasoningText":"a \"b\"","reasoningWireField":"reasoning","reasoningParts":[{"provider":"http://model.test/v1","model":"m"}]`},
		"opaque": {[]model.Reasoning{{Opaque: "x/+=", ID: "rs_1", Origin: here}}, `"reasoningOpaque":"x/+=","reasoningParts":[{"provider":"http://model.test/v1","model":"m","id":"rs_1"}]`},
		"several": {
			[]model.Reasoning{{Text: "a", Origin: here}, {Opaque: `{"type":"thinking"}`, Origin: here}},
			`"reasoningOpaque":"{\"type\":\"thinking\"}","reasoningText":"a",` +
				`"reasoningParts":[{"provider":"http://model.test/v1","model":"m","text":"a"},{"provider":"http://model.test/v1","model":"m","opaque":"{\"type\":\"thinking\"}"}]`,
		},
	} {
		k := &keeper{}
		turn.Run(context.Background(), k, &models{says(model.Response{Text: "hi", Reasoning: tc.pieces})})
		if len(k.answers) != 1 {
			t.Fatalf("%s: %d answers recorded", name, len(k.answers))
		}
		got := k.answers[0]
		i := strings.Index(got, `"reasoning`)
		if tc.want == "" && i < 0 {
			continue
		}
		if i < 0 {
			t.Errorf("%s: no reasoning in %s", name, got)
			continue
		}
		got = strings.Replace(strings.TrimSuffix(got[i:], "}"), `"turnId":"0",`, "", 1)
		if got != tc.want {
			t.Errorf("%s: recorded %s\nwant %s", name, got, tc.want)
		}
	}
}
