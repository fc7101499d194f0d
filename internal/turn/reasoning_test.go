package turn_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// keeper is a host that keeps the answers it is to record, as JSON.
type keeper struct {
	host
	answers []wire.Raw
}

func (k *keeper) Record(events ...wire.Data) error {
	for _, e := range events {
		if e.Type() == "assistant.message" {
			body, err := wire.Marshal(e)
			if err != nil {
				return err
			}
			k.answers = append(k.answers, wire.Raw(body))
		}
	}
	return k.host.Record(events...)
}

// Whatever reasoning an answer has is read from its event as it was.
func TestReasoningIsRecordedWhole(t *testing.T) {
	here := model.Origin{Provider: "http://model.test/v1", Model: "m"}
	for name, pieces := range map[string][]model.Reasoning{
		"none":      nil,
		"text":      {{Text: "a \"<b>\" \u2028", Field: "reasoning", Origin: here}},
		"opaque":    {{Opaque: "x/+=", Origin: here}},
		"several":   {{Text: "a", ID: "rs_1", Origin: here}, {Opaque: `{"type":"thinking","signature":"x"}`, Origin: here}, {Text: "b", Opaque: "k", Origin: here}},
		"no origin": {{Text: "a", Field: "reasoning"}},
	} {
		k := &keeper{}
		turn.Run(context.Background(), k, &models{says(model.Response{Text: "hi", Reasoning: pieces})})
		if len(k.answers) != 1 {
			t.Fatalf("%s: %d answers recorded", name, len(k.answers))
		}
		if d := cmp.Diff(pieces, turn.ReasoningOf(k.answers[0])); d != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, d, k.answers[0])
		}
		var message wire.AssistantMessage
		if err := json.Unmarshal(k.answers[0], &message); err != nil {
			t.Fatal(err)
		}
		text := ""
		if message.ReasoningText != nil {
			text = *message.ReasoningText
		}
		if text != model.ReasoningText(pieces) {
			t.Errorf("%s: clients see %q, want %q", name, text, model.ReasoningText(pieces))
		}
	}
}
