package wire_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestRawFindsWhatIsThere(t *testing.T) {
	doc := wire.Raw(` { "a" : "x\"y\\" , "b":[1, {"c":"]"}, "d" ,[] ], "n":-1.5e3,"t":true, "nul":null, "o":{"p":{"q":"deep"}},
		"bad":"` + "a\xffb" + `","esc":"\u00e9\n", "when":"2026-11-21T10:00:00.123Z" } `)
	if got, want := doc.Get("a").Text(), `x"y\`; got != want {
		t.Errorf("a = %q, want %q", got, want)
	}
	var list []string
	for e := range doc.Get("b").Elements() {
		list = append(list, string(e))
	}
	if got, want := strings.Join(list, "|"), `1|{"c":"]"}|"d"|[]`; got != want {
		t.Errorf("b has the elements %s, want %s", got, want)
	}
	for name, want := range map[string]string{"n": "-1.5e3", "t": "true", "nul": "null", "absent": ""} {
		if got := string(doc.Get(name)); got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	if got := doc.Get("o").Get("p").Get("q").Text(); got != "deep" {
		t.Errorf("o.p.q = %q", got)
	}
	if !doc.Get("t").True() || doc.Get("n").True() || doc.Get("n").Text() != "" || doc.Get("n").IsString() {
		t.Error("a value passes for one of another type")
	}
	if got := doc.Get("bad").Text(); got != "a\ufffdb" {
		t.Errorf("what is not UTF-8 = %q", got)
	}
	if got := doc.Get("esc").Text(); got != "é\n" {
		t.Errorf("escaped = %q", got)
	}
	if got, want := doc.Get("when").Time(), time.Date(2026, 11, 21, 10, 0, 0, 123e6, time.UTC); !got.Equal(want) {
		t.Errorf("when = %v, want %v", got, want)
	}
	for text, zero := range map[string]bool{"0000-01-01T00:00:00+01:00": true, "9999-12-31T23:59:59-01:00": true, "9999-12-31T23:59:59Z": false, "soon": true} {
		got := wire.Raw(`"` + text + `"`).Time()
		if _, err := json.Marshal(wire.Moment(got)); err != nil || got.IsZero() != zero {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
}

// A limit that is longer than Go can count is the longest, and not one that is over already.
func TestATimeoutDoesNotOverflow(t *testing.T) {
	const longest = time.Duration(math.MaxInt64/int64(time.Millisecond)) * time.Millisecond
	for ms, want := range map[int64]time.Duration{10_000: 10 * time.Second, 1 << 60: longest, math.MaxInt64: longest} {
		if got := (&wire.Budget{TimeoutMs: ms}).Timeout(); got != want {
			t.Errorf("%d ms are %s, want %s", ms, got, want)
		}
	}
}

// FuzzRaw compares the members that Raw finds with those of encoding/json. For invalid
// JSON it only requires that reading ends.
func FuzzRaw(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":"x","c":[1,2,{"d":"\\\""}],"e":{}}`, `[]`, `{}`, ` {"a" : null } `, `{"a":"`, `{"a":}`, `{"a"`, `"`, `[1,`, `{"a":1}}`, `[[[`, `{"":0}`, `{"a":"\\"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		raw := wire.Raw(doc)
		var object map[string]json.RawMessage
		isObject := json.Unmarshal(doc, &object) == nil
		for key, value := range raw.Members() {
			text := value.Text()
			if !isObject {
				continue
			}
			var want string
			if json.Unmarshal(value, &want) == nil && want != text && strings.Contains(string(value), `\`) {
				t.Fatalf("%s reads %q, want %q", value, text, want)
			}
			var name string
			if err := json.Unmarshal([]byte(`"`+string(key)+`"`), &name); err != nil {
				t.Fatalf("key %q is no string: %v", key, err)
			}
			if _, ok := object[name]; !ok || !json.Valid(value) {
				t.Fatalf("member %q = %q is not one of %q", key, value, doc)
			}
		}
		for name, want := range object {
			quoted, _ := json.Marshal(name)
			if string(quoted) != `"`+name+`"` {
				continue // Get compares keys as they are written
			}
			last := wire.Raw(nil) // of equal keys, encoding/json keeps the last
			for key, value := range raw.Members() {
				if string(key) == name {
					last = value
				}
			}
			if last != nil && string(last) != string(want) {
				t.Fatalf("member %q = %q, want %q", name, last, want)
			}
		}
		var list []json.RawMessage
		n := 0
		for range raw.Elements() {
			n++
		}
		if json.Unmarshal(doc, &list) == nil && list != nil && n != len(list) {
			t.Fatalf("%d elements in %q, want %d", n, doc, len(list))
		}
	})
}
