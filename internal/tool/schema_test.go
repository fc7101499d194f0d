package tool_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Providers differ in what they take of JSON Schema. These rules are what the
// strictest of them ask for.
func TestSchemasOfBuiltins(t *testing.T) {
	p := place{cwd: "/", dir: "/"}
	all := append(append(tool.Files(p, nil), tool.Search(p)...), tool.WebFetch(tool.FetchOptions{}))
	var names []string
	for _, x := range all {
		d := x.Definition()
		names = append(names, d.Name)
		if d.Origin != tool.Builtin || len(d.Description) < 40 || strings.TrimSpace(d.Description) != d.Description {
			t.Errorf("%s: source %s, description %q", d.Name, d.Origin, d.Description)
		}
		var root map[string]any
		if err := json.Unmarshal(d.Parameters, &root); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		strict(t, d.Name, root)
		if _, ok := x.(tool.Asker); !ok {
			t.Errorf("%s asks nobody", d.Name)
		}
		if reads := d.Name != "create" && d.Name != "edit"; d.Repeatable != reads || d.Trusted || d.Terminal {
			t.Errorf("%s: %+v", d.Name, d)
		}
	}
	if want := []string{"view", "create", "edit", "grep", "glob", "web_fetch"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %v, want %v", names, want)
	}
}

// strict checks one schema and those in it.
func strict(t *testing.T, at string, schema map[string]any) {
	t.Helper()
	for key := range schema {
		if !slices.Contains([]string{"type", "properties", "required", "additionalProperties", "description", "items", "enum"}, key) {
			t.Errorf("%s: %s is not taken by everybody", at, key)
		}
	}
	switch schema["type"] {
	case "object":
		properties, _ := schema["properties"].(map[string]any)
		for name, p := range properties {
			property, _ := p.(map[string]any)
			if text, _ := property["description"].(string); len(text) < 20 {
				t.Errorf("%s.%s: description %q", at, name, text)
			}
			strict(t, at+"."+name, property)
		}
		required, _ := schema["required"].([]any)
		for _, name := range required {
			if properties[name.(string)] == nil {
				t.Errorf("%s requires %v, which it does not have", at, name)
			}
		}
		if schema["additionalProperties"] != false || len(properties) == 0 {
			t.Errorf("%s: additionalProperties is %v", at, schema["additionalProperties"])
		}
	case "array":
		items, _ := schema["items"].(map[string]any)
		strict(t, at+"[]", items)
	case "string", "integer", "boolean":
	default:
		t.Errorf("%s: the type is %v", at, schema["type"])
	}
	if !strings.Contains(at, ".") && schema["type"] != "object" {
		t.Errorf("%s: the root is not an object", at)
	}
}

// Models write null for what they leave out.
func TestAnOptionalPropertyThatIsNullIsLeftOut(t *testing.T) {
	s := tool.NewSchema(json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"verbose":{"type":"boolean"},"may":{"type":["string","null"]},"in":{"type":"object","properties":{"n":{"type":"number"}}}}}`))
	for sent, want := range map[string]string{
		`{"verbose":null,"path":"a","in":{"n":null}}`: `{"path":"a","in":{}}`,
		`{"path":"a","may":null}`:                     `{"path":"a","may":null}`,
		`{"path":null}`:                               "",
		`{"path":"a","verbose":"null"}`:               "",
	} {
		got, err := s.Arguments(sent)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s became %s, %v, want %s", sent, got, err, want)
		}
	}
}
