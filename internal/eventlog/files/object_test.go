package files

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestObjectEnd(t *testing.T) {
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for _, tc := range []struct {
		text string
		want int
	}{
		{`{}`, 2},
		{`{}{}`, 2},
		{`{} x`, 2},
		{`{"a":"}\""}x`, 11},
		{`{ "a" : [ 1 , -0.5e+3 , "b" , true , false , null , { } , [ ] ] , "c" : { } } `, 77},
		{"{\"a\":\"\u2028\xff\"}", 12},
		{deep(maxDepth - 1), len(deep(maxDepth - 1))},
		{strings.Replace(deep(maxDepth-1), "[]", "[1]", 1), len(deep(maxDepth-1)) + 1},
		{deep(maxDepth), 0},
		{``, 0},
		{` {}`, 0},
		{`[]`, 0},
		{`{`, 0},
		{`{"`, 0},
		{`{"a`, 0},
		{`{"a"`, 0},
		{`{"a":`, 0},
		{`{"a":1`, 0},
		{`{"a":1,`, 0},
		{`{"a":1,}`, 0},
		{`{,}`, 0},
		{`{a:1}`, 0},
		{`{"a":01}`, 0},
		{`{"a":-}`, 0},
		{`{"a":1.}`, 0},
		{`{"a":1e}`, 0},
		{`{"a":"\x"}`, 0},
		{`{"a":"\u12g4"}`, 0},
		{`{"a":"\u12`, 0},
		{`{"a":"\`, 0},
		{"{\"a\":\"\t\"}", 0},
		{`{"a":[1 2]}`, 0},
		{`{"a":[1,]}`, 0},
		{`{"a":tru}`, 0},
		{`{"a" 1}`, 0},
		{`{"a":1 "b":2}`, 0},
		{"{\x00}", 0},
	} {
		if got := objectEnd([]byte(tc.text)); got != tc.want {
			t.Errorf("objectEnd(%.60q) = %d, want %d", tc.text, got, tc.want)
		}
	}
}

// FuzzObject compares objectEnd with encoding/json.
func FuzzObject(f *testing.F) {
	f.Add([]byte(`{"a":[1,-2.5e3,"x\u00e9\n",true,null,{}]}`))
	f.Add([]byte(`{"a":1}{"b":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		end := objectEnd(b)
		if end < 0 || end > len(b) {
			t.Fatalf("objectEnd(%q) = %d", b, end)
		}
		if end > 0 && !json.Valid(b[:end]) {
			t.Errorf("objectEnd(%q) = %d, and json.Valid says no", b, end)
		}
		if len(b) > 0 && b[0] == '{' && b[len(b)-1] == '}' && json.Valid(b) && end != len(b) {
			t.Errorf("objectEnd(%q) = %d, want all %d", b, end, len(b))
		}
	})
}

func BenchmarkObjectEnd(b *testing.B) {
	text := []byte(`{"type":"assistant.message","data":{"messageId":"3b241101-e2bb-4255-8caf-4136c566a962","content":"` +
		strings.Repeat("some text of an answer,\\n ", 120) + `"},"id":"3b241101-e2bb-4255-8caf-4136c566a962","parentId":null}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		objectEnd(text)
	}
}
