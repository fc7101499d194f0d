package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// A schema is sent in the form that Anthropic takes; what it does not take is in the description.
func TestTheFormOfAnAnswer(t *testing.T) {
	for _, tc := range []struct{ schema, want string }{
		{`{"type":"object"}`, `{"additionalProperties":false,"type":"object"}`},
		{
			`{"$schema":"s","type":"object","properties":{"n":{"type":"integer","minimum":1,"description":"A number."}},"additionalProperties":true}`,
			`{"additionalProperties":false,"properties":{"n":{"description":"A number.\n\n{minimum: 1}","type":"integer"}},"type":"object"}`,
		},
		{
			`{"type":"object","properties":{"a":{"type":"array","minItems":2,"items":{"type":"object","properties":{"e":{"type":"string","format":"email"},"f":{"type":"string","format":"odd"}}}}}}`,
			`{"additionalProperties":false,"properties":{"a":{"description":"{minItems: 2}","items":{"additionalProperties":false,"properties":{"e":{"format":"email","type":"string"},"f":{"description":"{format: \"odd\"}","type":"string"}},"type":"object"},"type":"array"}},"type":"object"}`,
		},
		{
			`{"oneOf":[{"$ref":"#/definitions/a","title":"t"},{"type":"null"}],"definitions":{"a":{"type":"object","additionalProperties":{"type":"string","maxLength":3}}}}`,
			`{"anyOf":[{"$ref":"#/definitions/a"},{"type":"null"}],"definitions":{"a":{"additionalProperties":{"description":"{maxLength: 3}","type":"string"},"type":"object"}}}`,
		},
	} {
		s := dialecttest.Events(thinking...)
		if _, _, err := ask(t, s, model.Request{Format: &model.ResponseFormat{Name: "n", Schema: json.RawMessage(tc.schema)}}); err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Output struct {
				Format struct{ Schema json.RawMessage }
			} `json:"output_config"`
		}
		if err := json.Unmarshal([]byte(s.Body), &sent); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tc.want, string(sent.Output.Format.Schema)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.schema, d)
		}
	}
}
