package tool_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

const schema = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`

func TestArgumentsAreCheckedAndKeptInOrder(t *testing.T) {
	for _, tc := range []struct {
		name, schema, sent, want, wantErr string
	}{
		{name: "keys keep the model's order", schema: schema, sent: ` {"days": 2, "city": "Oslo"} `, want: `{"days":2,"city":"Oslo"}`},
		{name: "numbers keep their digits", sent: `{"n":12345678901234567890}`, want: `{"n":12345678901234567890}`},
		{name: "nothing is an empty object", sent: " ", want: `{}`},
		{name: "nothing misses what is required", schema: schema, sent: "", wantErr: "city"},
		{name: "a missing property is named", schema: schema, sent: `{"days":2}`, wantErr: "city"},
		{name: "a wrong type is named", schema: schema, sent: `{"city":7}`, wantErr: "string"},
		{
			name: "an unknown property is passed on", sent: `{"city":"Oslo","mood":"good"}`, want: `{"city":"Oslo","mood":"good"}`,
			schema: `{"type":"object","properties":{"city":{"type":"string"}},"additionalProperties":false}`,
		},
		{
			name: "unless it is what tells alternatives apart", sent: `{"in":{"b":1}}`, want: `{"in":{"b":1}}`,
			schema: `{"properties":{"in":{"oneOf":[{"properties":{"a":{}},"additionalProperties":false},{"properties":{"b":{}},"additionalProperties":false}]}}}`,
		},
		{name: "a list is not an object", sent: `[1]`, wantErr: "not a JSON object: they are a JSON array"},
		{name: "null is not an object", sent: `null`, wantErr: "they are null"},
		{name: "a string is not an object", sent: `"{}"`, wantErr: "they are a JSON string"},
		{name: "cut off JSON", sent: `{"city": "Os`, wantErr: "unexpected end of JSON input at byte 12"},
		{name: "two objects are not one", sent: `{}{}`, wantErr: "not a JSON object"},
		{name: "a broken schema checks the object only", schema: `{"type":17}`, sent: `{"a":1}`, want: `{"a":1}`},
		{name: "a schema elsewhere is not fetched", schema: `{"$ref":"https://example.com/s.json"}`, sent: `{"a":1}`, want: `{"a":1}`},
		{name: "a null schema checks the object only", schema: `null`, sent: `{"a":1}`, want: `{"a":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tool.NewSchema([]byte(tc.schema)).Arguments(tc.sent)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Fatalf("Arguments(%q) = %s, %v; want an error with %q", tc.sent, got, err, tc.wantErr)
				}
				return
			}
			if err != nil || string(got) != tc.want {
				t.Errorf("Arguments(%q) = %s, %v; want %s", tc.sent, got, err, tc.want)
			}
		})
	}
}
