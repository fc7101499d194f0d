package tool_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// An answer is JSON that fits, with a code fence or without, and nothing else.
func TestAnAnswerFitsItsSchemaOrNot(t *testing.T) {
	s, err := tool.NewAnswerSchema([]byte(`{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"required":["n"],"additionalProperties":false,"$defs":{"n":{"type":"integer"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ answer, fits, why string }{
		{`{"n": 1}`, `{"n":1}`, ""},
		{" \n{\"n\":1}\n", `{"n":1}`, ""},
		{"```json\n{\"n\": 1}\n```", `{"n":1}`, ""},
		{"```\n{\"n\": 1}\n```\n", `{"n":1}`, ""},
		{"Here it is:\n```json\n{\"n\": 1}\n```", "", "not JSON"},
		{`{"n": 1} {"n": 2}`, "", "not JSON"},
		{`{"n": "1"}`, "", "does not fit the schema"},
		{`{"n": 1, "m": 2}`, "", "does not fit the schema"},
		{`{}`, "", "does not fit the schema"},
		{`[]`, "", "does not fit the schema"},
		{"", "", "is empty"},
		{"``````", "", "not JSON"},
	} {
		fits, err := s.Check(tc.answer)
		if string(fits) != tc.fits || tc.why == "" && err != nil || tc.why != "" && (err == nil || !strings.Contains(err.Error(), tc.why)) {
			t.Errorf("%q: %s, %v; want %s, %q", tc.answer, fits, err, tc.fits, tc.why)
		}
	}
}

// A schema that cannot be used is refused when it is read.
func TestASchemaOfAnAnswerIsUsedAsItIsOrRefused(t *testing.T) {
	for _, text := range []string{
		``, `[]`, `null`, `{"type":`, `{"type":1}`, `{"properties":[]}`, `{"$ref":"https://schemas.example/one"}`, `{"$ref":"#/$defs/none"}`, `{"pattern":"("}`,
		strings.Repeat(`{"not":`, 100_000) + `{}` + strings.Repeat(`}`, 100_000),
	} {
		if s, err := tool.NewAnswerSchema([]byte(text)); err == nil {
			_, wrong := s.Check(`"x"`)
			t.Errorf("%.100s is a schema, and \"x\" is checked: %v", text, wrong)
		}
	}
}

// A schema that refers to itself without end does not end the process.
func TestACircularSchemaOfAnAnswerEnds(t *testing.T) {
	s, err := tool.NewAnswerSchema([]byte(`{"$ref":"#"}`))
	if err == nil {
		_, err = s.Check(`{}`)
	}
	if err == nil {
		t.Error("an answer fits a schema that never ends")
	}
}
