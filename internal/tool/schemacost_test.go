package tool_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// A schema that cannot be checked with bounded work requires an object only: before, the
// first two ended the process with a stack overflow, and the others took minutes.
func TestSchemasOfHostileServersAreNotFollowed(t *testing.T) {
	var doubled strings.Builder
	for i := range 60 {
		next := strconv.Itoa(i + 1)
		doubled.WriteString(`"` + strconv.Itoa(i) + `":{"anyOf":[{"$ref":"#/$defs/` + next + `"},{"$ref":"#/$defs/` + next + `"}]},`)
	}
	for name, schema := range map[string]string{
		"a reference to itself":        `{"type":"object","$ref":"#"}`,
		"a circle":                     `{"$defs":{"x":{"$ref":"#/$defs/y"},"y":{"allOf":[{"$ref":"#/$defs/x"}]}},"properties":{"a":{"$ref":"#/$defs/x"}}}`,
		"in odd letters":               `{"$REF":"#"}`,
		"a circle of another kind":     `{"$dynamicRef":"#x","$dynamicAnchor":"x"}`,
		"alternatives of alternatives": `{"$defs":{` + doubled.String() + `"60":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/0"}}}`,
		"alternatives at each level":   `{"anyOf":[{"properties":{"n":{"$ref":"#"}}},{"additionalProperties":{"$ref":"#"}},{"patternProperties":{".":{"$ref":"#"}}}]}`,
		"many levels":                  `{"properties":{"a":` + strings.Repeat(`{"not":`, 9000) + `{}` + strings.Repeat(`}`, 9000) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			args := `{"a":1,"n":` + strings.Repeat(`{"n":`, 60) + `1` + strings.Repeat(`}`, 60) + `}`
			if got, err := tool.NewSchema(json.RawMessage(schema)).Arguments(args); err != nil || string(got) != args {
				t.Errorf("Arguments = %.100s, %v", got, err)
			}
		})
	}
}

// References that end somewhere are checked as before.
func TestSchemasWithReferencesAreChecked(t *testing.T) {
	s := tool.NewSchema(json.RawMessage(`{"$defs":{"a/b~":{"properties":{"value":{"type":"integer"},"next":{"$ref":"#/$defs/a~1b~0"}}}},
		"properties":{"list":{"$ref":"#/$defs/a~1b~0"},"all":{"type":"array","items":{"$ref":"#/properties/list"}}}}`))
	for args, fits := range map[string]bool{
		`{"list":{"value":1,"next":{"value":2}}}`:   true,
		`{"list":{"value":1,"next":{"value":"2"}}}`: false,
		`{"all":[{},{"next":{"value":1}}]}`:         true,
		`{"all":[{},{"next":{"value":[]}}]}`:        false,
	} {
		if _, err := s.Arguments(args); (err == nil) != fits {
			t.Errorf("%s: %v, want fits: %v", args, err, fits)
		}
	}
}

// The message to the model about arguments that do not fit does not repeat all of them.
func TestMisfitsAreReportedBriefly(t *testing.T) {
	s := tool.NewSchema(json.RawMessage(`{"properties":{"a":{"pattern":"^b"}}}`))
	if _, err := s.Arguments(`{"a":"` + strings.Repeat("a", 1<<20) + `"}`); err == nil || len(err.Error()) > 8<<10 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

// A form has no references: to check its answer would end the process.
func TestFormsHaveNoReferences(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{},"$ref":"#"}`,
		`{"type":"object","properties":{"a":{"type":"string","allOf":[{"$ref":"#/properties/a"}]}}}`,
		`{"type":"object","properties":{},"$dynamicRef":"#x","$dynamicAnchor":"x"}`,
		`{"type":"object","properties":{},"not":` + strings.Repeat(`{"not":`, 9000) + `{}` + strings.Repeat(`}`, 9000) + `}`,
	} {
		if _, err := tool.ParseForm(json.RawMessage(schema)); err == nil {
			t.Errorf("%.100s is taken for a form", schema)
		}
	}
}
