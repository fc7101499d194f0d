package jsonc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const commented = `// servers of this project
{
    "inputs": [], // none
    "servers": {
        // the first one
        "a": {"command": "x // no comment"}, // behind a
        /* the second */ "b": {
            "url": "https://b.example/", // its address
        },
    },
    "z": 1
}
`

func TestPlain(t *testing.T) {
	plain := Plain([]byte("\ufeff" + commented))
	var v any
	if err := json.Unmarshal(plain, &v); err != nil {
		t.Fatal(err)
	}
	if len(plain) != len(commented)+3 || strings.Count(string(plain), "\n") != strings.Count(commented, "\n") {
		t.Error("offsets have moved")
	}
	text, _ := json.Marshal(v)
	if want := `{"inputs":[],"servers":{"a":{"command":"x // no comment"},"b":{"url":"https://b.example/"}},"z":1}`; string(text) != want {
		t.Errorf("it reads %s", text)
	}
}

// An error names the place of the mistake, also behind comments and trailing commas. A comment may have any
// bytes, and a text of nothing but brackets is refused.
func TestPlainOfATextThatIsHardToRead(t *testing.T) {
	for text, want := range map[string]string{
		"{ // mine\n  \"a\": [1,],\n  \"b\": tru\n}":      "34: invalid character '\\n' in literal true (expecting 'e')",
		"{ /* \xe9t\xe9 */ \"a\": 1 } // \u2028 the end":  "",
		strings.Repeat("[", 1<<20):                        "10001: invalid character '[' exceeded max depth",
		strings.Repeat(`{"":`, 1<<18) + "/* \n // */ x\n": "40001: invalid character '{' exceeded max depth",
	} {
		var v any
		got := ""
		if err := json.Unmarshal(Plain([]byte(text)), &v); err != nil {
			got = err.Error()
			if s := new(json.SyntaxError); errors.As(err, &s) {
				got = fmt.Sprintf("%d: %v", s.Offset, err)
			}
		}
		if got != want {
			t.Errorf("%.40q: %s, want %q", text, got, want)
		}
	}
}

func TestChanges(t *testing.T) {
	one := json.RawMessage(`{"command":"y","args":["1"]}`)
	laid := "{\n            \"command\": \"y\",\n            \"args\": [\n                \"1\"\n            ]\n        }"
	for name, tc := range map[string]struct {
		text, want string
		change     func([]byte) ([]byte, error)
	}{
		"replace": {
			commented, strings.Replace(commented, `{"command": "x // no comment"}`, laid, 1),
			func(b []byte) ([]byte, error) { return Set(b, one, "servers", "a") },
		},
		"remove the first":                  {commented, strings.Replace(commented, `        "a": {"command": "x // no comment"},`, "        ", 1), func(b []byte) ([]byte, error) { return Remove(b, "servers", "a") }},
		"remove what is not there":          {commented, commented, func(b []byte) ([]byte, error) { return Remove(b, "servers", "c") }},
		"remove in what is not there":       {commented, commented, func(b []byte) ([]byte, error) { return Remove(b, "none", "c") }},
		"remove the last":                   {"{\n  \"a\": 1,\n  \"b\": 2 // two\n}", "{\n  \"a\": 1\n   // two\n}", func(b []byte) ([]byte, error) { return Remove(b, "b") }},
		"remove the only one":               {"{\n  \"a\": 1\n}\n", "{\n}\n", func(b []byte) ([]byte, error) { return Remove(b, "a") }},
		"remove twice":                      {`{"a":1,"b":2,"a":3}`, `{"b":2}`, func(b []byte) ([]byte, error) { return Remove(b, "a") }},
		"remove behind a line comment":      {"{ // x\n \"a\": 1, \"b\": 2}", "{ // x\n  \"b\": 2}", func(b []byte) ([]byte, error) { return Remove(b, "a") }},
		"remove the only one, at the brace": {"{ // x\n\"a\": 1}", "{ // x\n}", func(b []byte) ([]byte, error) { return Remove(b, "a") }},
		"remove before a comment":           {`{"a": 1 /* one */, "b": 2}`, `{ /* one */ "b": 2}`, func(b []byte) ([]byte, error) { return Remove(b, "a") }},
		"into nothing":                      {"", "{\n  \"s\": {\n    \"a\": {\n      \"command\": \"y\",\n      \"args\": [\n        \"1\"\n      ]\n    }\n  }\n}\n", func(b []byte) ([]byte, error) { return Set(b, one, "s", "a") }},
		"into an empty object with tabs":    {"{\n\t\"t\": 1,\n\t\"s\": {}\n}\n", "{\n\t\"t\": 1,\n\t\"s\": {\n\t\t\"a\": 1\n\t}\n}\n", func(b []byte) ([]byte, error) { return Set(b, json.RawMessage("1"), "s", "a") }},
		"in place of null":                  {"{\n  \"s\": null\n}", "{\n  \"s\": {\n    \"a\": 1\n  }\n}", func(b []byte) ([]byte, error) { return Set(b, json.RawMessage("1"), "s", "a") }},
		"into one line":                     {`{"s": {"b":2}}`, `{"s": {"b":2, "a": 1}}`, func(b []byte) ([]byte, error) { return Set(b, json.RawMessage("1"), "s", "a") }},
		"behind the comment of the last":    {"{\n  \"b\": 2 // two\n}", "{\n  \"b\": 2, // two\n  \"a\": 1\n}", func(b []byte) ([]byte, error) { return Set(b, json.RawMessage("1"), "a") }},
		"of two members the last one":       {`{"a":1,"a":2}`, `{"a":1,"a":3}`, func(b []byte) ([]byte, error) { return Set(b, json.RawMessage("3"), "a") }},
		"a file that only has a comment":    {"// mine\n", "// mine\n{\n  \"a\": 1\n}\n", func(b []byte) ([]byte, error) { return Set(b, json.RawMessage("1"), "a") }},
		"behind a trailing comma":           {"{\n  \"b\": 2, // two\n}", "{\n  \"b\": 2, // two\n  \"a\": 1\n}", func(b []byte) ([]byte, error) { return Set(b, json.RawMessage("1"), "a") }},
	} {
		got, err := tc.change([]byte(tc.text))
		if diff := cmp.Diff(tc.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestTextsThatCannotBeChanged(t *testing.T) {
	for _, text := range []string{"[]", "null", "{", `{"a":1} {"b":2}`, "/* no end", `{"a":1 // no end`} {
		for what, change := range map[string]func([]byte) ([]byte, error){
			"set": func(b []byte) ([]byte, error) { return Set(b, json.RawMessage("1"), "x") }, "remove": func(b []byte) ([]byte, error) { return Remove(b, "x") },
		} {
			if got, err := change([]byte(text)); err == nil {
				t.Errorf("%s in %s: %s", what, text, got)
			}
		}
	}
}

// Whatever the text, a change alters nothing else and loses no comment; [checked] sees to the
// first.
func FuzzChanges(f *testing.F) {
	f.Add(commented, "b")
	f.Add(`{"a":[1,2,],/* x */"b":{"c":null,},}`, "a")
	f.Add("{ // x\n \"a\": 1, \"b\": 2}", "a")
	f.Fuzz(func(t *testing.T, text, name string) {
		before := []byte(text)
		if !json.Valid(Plain(before)) || !utf8.ValidString(name) || !utf8.ValidString(text) {
			return
		}
		for _, path := range [][]string{{name}, {"servers", name}} {
			for _, change := range []func() ([]byte, error){
				func() ([]byte, error) { return Set(before, json.RawMessage(`{"n":[1]}`), path...) },
				func() ([]byte, error) { return Remove(before, path...) },
			} {
				after, err := change()
				if errors.Is(err, errChange) {
					t.Fatalf("%q: %v", path, err)
				}
				if err == nil && len(comments(after)) < len(comments(before)) && !strings.Contains(text, `"`+name+`"`) {
					t.Fatalf("%q: a comment is lost: %s", path, after)
				}
			}
		}
	})
}

// comments are the comments in a text.
func comments(text []byte) string {
	var b strings.Builder
	for i, c := range withoutComments(text) {
		if c != text[i] {
			b.WriteByte(text[i])
		}
	}
	return strings.Join(strings.Fields(b.String()), "")
}

// Each removal reads the text again, so that a file of others could keep this program busy for hours.
func TestANameThatIsThereTooOften(t *testing.T) {
	text := `{"a": {` + strings.Repeat(`"x": 1, `, 200) + `"x": 2}}`
	if changed, err := Remove([]byte(text), "a", "x"); err == nil || !strings.Contains(err.Error(), "times or more") {
		t.Errorf("%q, %v", changed, err)
	}
	few := `{"a": {` + strings.Repeat(`"x": 1, `, 20) + `"y": 2}}`
	if changed, err := Remove([]byte(few), "a", "x"); err != nil || strings.Contains(string(changed), "x") {
		t.Errorf("%q, %v", changed, err)
	}
}
