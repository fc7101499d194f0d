package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

func TestNormalize(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"nothing":                      {``, None},
		"null":                         {`null`, None},
		"true":                         {`true`, None},
		"no properties":                {`{"type":"object"}`, None},
		"type null":                    {`{"type":null}`, None},
		"no type":                      {`{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		"without faults, to the byte":  {`{ "type":"object", "properties":{"b":{"type":"array","items":{}},"a":{"enum":[1,"\u00e9"]}}, "additionalProperties":false, "x-y":1}`, ``},
		"an object or null":            {`{"type":["object","null"],"properties":{}}`, None},
		"of a draft":                   {`{"$schema":"http://json-schema.org/draft-07/schema#","$id":"x","type":"object","properties":{}}`, None},
		"an array without items":       {`{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
		"a tuple of draft 7":           {`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"integer"}]}}}`, `{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"integer"}],"items":{}}}}`},
		"a tuple of pydantic":          {`{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"integer"}]}}}`, `{"type":"object","properties":{"a":{"type":"array","prefixItems":[{"type":"integer"}],"items":{}}}}`},
		"required names that are not":  {`{"type":"object","properties":{"a":{}},"required":["a","b","a"]}`, `{"type":"object","properties":{"a":{}},"required":["a"]}`},
		"required is true":             {`{"type":"object","properties":{"a":{"type":"string","required":true}},"required":true}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		"schemas that are booleans":    {`{"type":"object","properties":{"a":true,"b":false,"c":null},"required":["b"]}`, `{"type":"object","properties":{"a":{},"c":{}}}`},
		"types of Python":              {`{"type":"dict","properties":{"a":{"type":"str"},"b":{"type":"any"},"c":{"type":["int","int","x"]}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{},"c":{"type":["integer"]}}}`},
		"bounds of draft 4":            {`{"type":"object","properties":{"a":{"minimum":3,"exclusiveMinimum":true},"b":{"maximum":3,"exclusiveMaximum":false}}}`, `{"type":"object","properties":{"a":{"exclusiveMinimum":3},"b":{"maximum":3}}}`},
		"values of the wrong type":     {`{"type":"object","properties":{"a":{"description":1,"enum":[],"minLength":-1,"maxItems":"3","pattern":null,"anyOf":[],"properties":[],"default":null}}}`, `{"type":"object","properties":{"a":{"default":null}}}`},
		"a reference":                  {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"mine"}},"$defs":{"A":{"type":"string","description":"theirs"}}}`, `{"type":"object","properties":{"a":{"type":"string","description":"mine"}}}`},
		"a reference at the root":      {`{"$ref":"#/definitions/A~1b","definitions":{"A/b":{"type":"object","properties":{"a":{}}}}}`, `{"type":"object","properties":{"a":{}}}`},
		"a chain of references":        {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#B"},"B":{"$anchor":"B","type":"integer"}}}`, `{"type":"object","properties":{"a":{"type":"integer"}}}`},
		"a circle":                     {`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}`, `{"type":"object","properties":{"a":{}}}`},
		"a tree":                       {`{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}`, `{"type":"object","properties":{"n":{"type":"object","properties":{"kids":{"type":"array","items":{"type":"object"}}}}}}`},
		"itself":                       {`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"type":"object","properties":{"a":{"type":"object"}}}`},
		"a reference to the web":       {`{"type":"object","properties":{"a":{"$ref":"https://x.test/a.json","title":"A"},"b":{"$ref":"#/nowhere"}}}`, `{"type":"object","properties":{"a":{"title":"A"},"b":{}}}`},
		"a property called $ref":       {`{"type":"object","properties":{"$ref":{"type":"string"},"$defs":{}}}`, ``},
		"one of several is needed":     {`{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"type":"object","properties":{"a":{},"b":{}},"description":"One of these groups of properties is needed: a; or b."}`},
		"alternatives at the root":     {`{"oneOf":[{"type":"object","properties":{"k":{"const":"x"},"a":{}},"required":["k","a"]},{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]}]}`, `{"type":"object","properties":{"k":{"anyOf":[{"const":"x"},{"const":"y"}]},"a":{}},"description":"One of these groups of properties is needed: k, a; or k.","required":["k"]}`},
		"all of several":               {`{"allOf":[{"$ref":"#/$defs/A"},{"properties":{"b":{}},"required":["b"]}],"$defs":{"A":{"type":"object","properties":{"a":{}},"required":["a"]}}}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`},
		"other keywords at the root":   {`{"type":"object","properties":{},"not":{},"enum":[{}],"if":{},"then":{}}`, None},
		"a member twice":               {`{"type":"string","properties":{},"type":"object"}`, None},
		"a lone surrogate":             {`{"type":"object","properties":{"a":{"enum":["\ud800"],"type":"array"}}}`, `{"type":"object","properties":{"a":{"enum":["` + "\ufffd" + `"],"type":"array","items":{}}}}`},
		"alternatives below the root":  {`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"null"}]}}}`, ``},
		"properties that are required": {`{"type":"object","properties":{"a":{"anyOf":[{"required":["x"]}]}}}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.want == "" {
				tc.want = tc.in
			}
			got, err := Normalize(json.RawMessage(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, string(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestSomeSchemasDescribeNoArguments(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"string"}`:                    "its schema describes a value of the type \"string\", and arguments are an object",
		`[]`:                                   "its schema is not an object",
		`false`:                                "its schema is not an object",
		`{"type":`:                             "its schema is not JSON",
		`"` + strings.Repeat("x", 5<<20) + `"`: "its schema has 5242882 bytes, and at most 262144 can be sent with every call",
		strings.Repeat(`{"not":`, 600) + `{}` + strings.Repeat(`}`, 600): "its schema has more than 512 levels",
	} {
		if got, err := Normalize(json.RawMessage(in)); err == nil || err.Error() != want {
			t.Errorf("%.40s: %.80s, %v, want %q", in, got, err, want)
		}
	}
}

// Schemas of servers that mean harm, or are machine-made, stay within bounds.
func TestTheSizeIsBounded(t *testing.T) {
	var many, doubling strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, `"p%d":{},`, i)
	}
	for i := range 40 {
		fmt.Fprintf(&doubling, `"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	for name, in := range map[string]string{
		"10,000 properties":   `{"type":"object","properties":{` + many.String() + `"z":{"type":"array"}}}`,
		"doubling references": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + doubling.String() + `"d40":{}}}`,
		"deep":                strings.Repeat(`{"type":"object","properties":{"a":`, 200) + `{}` + strings.Repeat(`}}`, 200),
		"alternatives":        `{"properties":{"a":{"description":"` + strings.Repeat("x", 1000) + `","anyOf":[` + strings.Repeat(`{"type":"string"},`, 5000) + `{}]}},"oneOf":[` + strings.Repeat(`{"properties":{"b":{"minimum":1}}},`, 1000) + `{}]}`,
	} {
		got, err := Normalize(json.RawMessage(in))
		if err != nil || len(got) > len(in)+2*maxCopied || !json.Valid(got) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(in), err)
			continue
		}
		if small := OpenAPI(got); len(small) > 4*maxOpen || small != nil && !json.Valid(small) {
			t.Errorf("%s: %d bytes", name, len(small))
		}
	}
}

func TestOpenAPI(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"no properties":      {``, ``},
		"keywords":           {`{"a":{"type":"object","properties":{"b":{"type":"string","default":"x","format":"uri"}},"additionalProperties":false}}`, `{"a":{"type":"object","properties":{"b":{"type":"string"}}}}`},
		"a constant":         {`{"a":{"const":"x"}}`, `{"a":{"type":"string","enum":["x"]}}`},
		"numbers":            {`{"a":{"type":"integer","enum":[1,2],"description":"How many."}}`, `{"a":{"type":"integer","description":"One of: 1, 2. How many."}}`},
		"null or a string":   {`{"a":{"type":["string","null"],"enum":["x",null,""]}}`, `{"a":{"type":"string","nullable":true,"enum":["x"]}}`},
		"null or an object":  {`{"a":{"anyOf":[{"type":"object","properties":{"b":{"type":"string"}}},{"type":"null"}],"description":"It."}}`, `{"a":{"type":"object","description":"It.","properties":{"b":{"type":"string"}},"nullable":true}}`},
		"several types":      {`{"a":{"type":["string","integer"],"description":"It."}}`, `{"a":{"anyOf":[{"type":"string","description":"It."},{"type":"integer","description":"It."}]}}`},
		"one of several":     {`{"a":{"oneOf":[{"type":"string"},{"type":"integer","exclusiveMinimum":0}]}}`, `{"a":{"anyOf":[{"type":"string"},{"type":"integer","description":"exclusiveMinimum: 0."}]}}`},
		"all of several":     {`{"a":{"allOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"properties":{"y":{}},"required":["x","y"]}]}}`, `{"a":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"required":["x","y"]}}`},
		"an empty object":    {`{"a":{"type":"object","properties":{},"required":[]}}`, `{"a":{"type":"object"}}`},
		"a list of anything": {`{"a":{"type":"array","items":{}}}`, `{"a":{"type":"array","items":{"type":"string"}}}`},
		"anything":           {`{"a":{}}`, `{"a":{"type":"string"}}`},
		"required of no own": {`{"a":{"type":"string","required":["x"]}}`, `{"a":{"type":"string"}}`},
	} {
		in := None
		if tc.in != "" {
			in = `{"type":"object","properties":` + tc.in + `}`
		}
		normal, err := Normalize(json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if tc.want != "" {
			want = `{"type":"object","properties":` + tc.want + `}`
		}
		if d := cmp.Diff(want, string(OpenAPI(normal))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestPlainNames(t *testing.T) {
	for in, want := range map[string]string{
		None: None,
		`{"type":"object","properties":{"a.b-C_1":{},"$filter":{"type":"string"}},"required":["$filter","a.b-C_1"]}`: `{"type":"object","properties":{"a.b-C_1":{}},"required":["a.b-C_1"],"description":"Further properties: \"$filter\": {\"type\":\"string\"}."}`,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"é":{}},"required":["é"]}}}`:              `{"type":"object","properties":{"a":{"type":"object","properties":{},"description":"Further properties: \"é\": {}."}}}`,
	} {
		if d := cmp.Diff(want, string(PlainNames(json.RawMessage(in)))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// FuzzNormalize checks that no schema makes the program fail, and that what is sent is one: a
// validator accepts it, it is the same each time, and its root is an object.
func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{
		None, `{"$ref":"#/a","a":{"$ref":"#"}}`, `{"type":["object"],"anyOf":[{"allOf":[{"required":["x"]}]}]}`, `{"properties":{"a":{"items":[{"type":"x"},true]}}}`,
		`{"type":"object","properties":{"a":{"exclusiveMinimum":true,"minimum":1e400}}}`, `{"properties":{"a":{"pattern":"(","Type":3,"$Ref":1,"minLength":1e1}}}`,
		`{"oneOf":[{"properties":{"b":{"const":1}}},{"properties":{"b":{"const":2}}}],"$defs":{"x":{"$anchor":"y"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := Normalize(in)
		if err != nil {
			return
		}
		again, err := Normalize(in)
		if err != nil || string(again) != string(got) {
			t.Fatalf("%s becomes %s, and the next time %s, %v", in, got, again, err)
		}
		accepted(t, got)
		accepted(t, PlainNames(got))
		if small := OpenAPI(got); small != nil {
			accepted(t, small)
		}
		twice, err := Normalize(got)
		if err != nil {
			t.Fatalf("%s is not accepted itself: %v", got, err)
		}
		accepted(t, twice)
	})
}

func accepted(t *testing.T, schema []byte) {
	t.Helper()
	var plain any
	if err := json.Unmarshal(schema, &plain); err != nil {
		t.Fatalf("%s is not JSON: %v", schema, err)
	}
	withoutPatterns(plain)
	text, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s is no schema: %v", schema, err)
	}
	if s.Type != "object" || s.Properties == nil {
		t.Fatalf("%s does not describe an object", schema)
	}
	if _, err := s.Resolve(nil); err != nil {
		t.Fatalf("%s is refused: %v", schema, err)
	}
}

// withoutPatterns removes regular expressions, which validators of other languages read otherwise.
func withoutPatterns(value any) {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "pattern")
		delete(v, "patternProperties")
		for name, one := range v {
			if strings.ToLower(name) != name && useOf(name) == free { // the validator takes "Type" for "type"
				delete(v, name)
			}
			withoutPatterns(one)
		}
	case []any:
		for _, one := range v {
			withoutPatterns(one)
		}
	}
}
