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
		"sealed": {
			[]model.Reasoning{{Opaque: "x", Seal: "00ff", Origin: model.Origin{Provider: "http://model.test/v1", Model: "m", Dialect: "responses", Account: "a1"}}},
			`"reasoningOpaque":"x","reasoningParts":[{"provider":"http://model.test/v1","model":"m","dialect":"responses","account":"a1","seal":"00ff"}]`,
		},
		"encrypted": {
			[]model.Reasoning{{Opaque: `{"encrypted_content":"E1","type":"reasoning"}`, Origin: here}, {Opaque: `{"encrypted_content":"E2","type":"reasoning"}`, Origin: here}},
			`"reasoningOpaque":"{\"encrypted_content\":\"\",\"type\":\"reasoning\"}","reasoningParts":[` +
				`{"provider":"http://model.test/v1","model":"m","opaque":"{\"encrypted_content\":\"\",\"type\":\"reasoning\"}"},` +
				`{"provider":"http://model.test/v1","model":"m","opaque":"{\"encrypted_content\":\"E2\",\"type\":\"reasoning\"}"}]`,
		},
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

// The phase of an answer's text is in the protocol's field, and where the text is sent back it is
// found with the reasoning.
func TestThePhaseOfAnAnswerIsRecorded(t *testing.T) {
	k := &keeper{}
	phase := model.Reasoning{Field: model.PhaseMark + "commentary", Origin: model.Origin{Provider: "http://model.test/v1", Model: "m"}}
	turn.Run(context.Background(), k, &models{says(model.Response{Text: "hi", Reasoning: []model.Reasoning{phase}})})
	for _, want := range []string{`"phase":"commentary"`, `"reasoningParts":[{"provider":"http://model.test/v1","model":"m","field":"phase:commentary"}]`} {
		if len(k.answers) != 1 || !strings.Contains(k.answers[0], want) {
			t.Errorf("no %s in %v", want, k.answers)
		}
	}
	if strings.Contains(k.answers[0], "reasoningWireField") {
		t.Errorf("the phase is recorded as reasoning: %s", k.answers[0])
	}
}
