package state

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The reasoning of an answer is read as package turn records it.
func TestReasoningIsReadAsItWasRecorded(t *testing.T) {
	here := model.Origin{Provider: "http://model.test/v1", Model: "m"}
	for name, tc := range map[string]struct {
		data string
		want []model.Reasoning
	}{
		"none": {`{"content":"hi"}`, nil},
		"text": {
			`{"reasoningText":"a \"b\"","reasoningWireField":"reasoning","reasoningParts":[{"provider":"http://model.test/v1","model":"m"}]}`,
			[]model.Reasoning{{Text: "a \"b\"", Field: "reasoning", Origin: here}},
		},
		"opaque": {
			`{"reasoningOpaque":"x/+=","reasoningParts":[{"provider":"http://model.test/v1","model":"m","id":"rs_1"}]}`,
			[]model.Reasoning{{Opaque: "x/+=", ID: "rs_1", Origin: here}},
		},
		"sealed": {
			`{"reasoningOpaque":"x","reasoningParts":[{"provider":"http://model.test/v1","model":"m","dialect":"responses","account":"a1","seal":"00ff"}]}`,
			[]model.Reasoning{{Opaque: "x", Seal: "00ff", Origin: model.Origin{Provider: "http://model.test/v1", Model: "m", Dialect: "responses", Account: "a1"}}},
		},
		"a phase": {
			`{"phase":"commentary","reasoningParts":[{"provider":"http://model.test/v1","model":"m","field":"phase:commentary"}]}`,
			[]model.Reasoning{{Field: "phase:commentary", Origin: here}},
		},
		"encrypted": {
			`{"encryptedContent":"E1","reasoningOpaque":"{\"encrypted_content\":\"\"}","reasoningParts":[` +
				`{"provider":"http://model.test/v1","model":"m","opaque":"{\"encrypted_content\":\"\"}"},` +
				`{"provider":"http://model.test/v1","model":"m","opaque":"{\"encrypted_content\":\"E2\"}"}]}`,
			[]model.Reasoning{{Opaque: `{"encrypted_content":"E1"}`, Origin: here}, {Opaque: `{"encrypted_content":"E2"}`, Origin: here}},
		},
		"one that is encrypted": {
			`{"encryptedContent":"E1","reasoningOpaque":"{\"encrypted_content\":\"\"}","reasoningParts":[{"provider":"http://model.test/v1","model":"m"}]}`,
			[]model.Reasoning{{Opaque: `{"encrypted_content":"E1"}`, Origin: here}},
		},
		"several": {
			`{"reasoningText":"a","reasoningOpaque":"k","reasoningParts":[{"provider":"http://model.test/v1","model":"m","text":"a"},` +
				`{"provider":"http://model.test/v1","model":"m","opaque":"{\"type\":\"thinking\"}"}]}`,
			[]model.Reasoning{{Text: "a", Origin: here}, {Opaque: `{"type":"thinking"}`, Origin: here}},
		},
		"of another program, which does not name its origin": {`{"reasoningText":"a","reasoningOpaque":"k"}`, nil},
	} {
		if diff := cmp.Diff(tc.want, reasoningOf(wire.Raw(tc.data))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
