package known_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// with returns a catalogue with a user's file.
func with(t *testing.T, text string) (*known.Catalogue, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "models.json")
	write(t, path, text)
	return known.New(vfs.OS{}, path), path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, c *known.Catalogue, provider, id string) known.Found {
	t.Helper()
	f, err := c.Find(provider, id)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWhatIsPublishedIsFoundUnderItsNames(t *testing.T) {
	c := known.New(vfs.OS{}, "")
	for _, tc := range []struct {
		name, provider, id string
		want               int64 // of the prompt
		exact              bool
	}{
		{"its own name", "anthropic", "claude-opus-5-5", 1_000_000, true},
		{"a date behind it", "anthropic", "claude-haiku-4-5-20251001", 200_000, true},
		{"a date with dashes", "openai", "gpt-4.1-2025-04-14", 1_047_576, true},
		{"an alias", "openai", "gpt-5.6", 922_000, true},
		{"another provider", "openrouter", "gpt-4.1", 1_047_576, false},
		{"no provider", "", "gpt-4.1", 1_047_576, false},
		{"Claude at Bedrock", "bedrock", "us.anthropic.claude-opus-4-6-20260205-v1:0", 1_000_000, false},
		{"a model of Bedrock", "bedrock", "amazon.nova-pro-v1:0", 300_000, true},
		{"not listed", "openai", "gpt-0", 0, false},
		{"only a beginning", "openai", "gpt-4", 0, false},
		{"no name", "openai", "", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := find(t, c, tc.provider, tc.id)
			m := f.Model()
			if m.Prompt() != tc.want || f.Exact != tc.exact {
				t.Errorf("Find(%q, %q) has a prompt of %d, exact %v; want %d, %v", tc.provider, tc.id, m.Prompt(), f.Exact, tc.want, tc.exact)
			}
			if !tc.exact && m.Prices != nil {
				t.Errorf("it has the price of another provider: %v", m.Prices)
			}
		})
	}
}

func TestEveryPublishedModelHasItsSourceAndDate(t *testing.T) {
	text, err := os.ReadFile("models.json")
	if err != nil {
		t.Fatal(err)
	}
	c, _ := with(t, string(text)) // the same form as the user's file
	n, err := c.Check()
	if err != nil || n < 60 {
		t.Fatalf("models.json has %d models, %v", n, err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"id"`) && !(strings.Contains(line, `"source"`) && strings.Contains(line, `"date"`) && strings.Contains(line, `"contextTokens"`)) {
			t.Errorf("without source, date or limit: %s", line)
		}
	}
}

func TestTheUsersFileComesFirst(t *testing.T) {
	c, path := with(t, `{
  // mine
  "models": [
    {"provider": "openai", "id": "gpt-4.1", "prices": [{"input": 1, "output": 2}],},
    {"id": "qwen3:8b", "contextTokens": 32768, "images": false},
    {"provider": "ollama", "id": "qwen3:8b", "contextTokens": 8192},
  ]
}`)
	m := find(t, c, "openai", "gpt-4.1").Model()
	if want := []known.Price{{Rates: known.Rates{Input: 1, Output: 2}}}; !cmp.Equal(m.Prices, want) || m.ContextTokens != 1_047_576 {
		t.Errorf("gpt-4.1 is %+v, want the user's price and the published limit", m)
	}
	for provider, want := range map[string]int64{"ollama": 8192, "vllm": 32768, "": 32768} {
		if m := find(t, c, provider, "qwen3:8b").Model(); m.Prompt() != want {
			t.Errorf("qwen3:8b at %q has a prompt of %d, want %d", provider, m.Prompt(), want)
		}
	}
	write(t, path, `{"models":[]}`)
	if m := find(t, c, "ollama", "qwen3:8b").Model(); m.Prompt() != 0 {
		t.Errorf("the file has changed, and qwen3:8b still has a prompt of %d", m.Prompt())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Check(); n != 0 || err != nil {
		t.Errorf("without a file: %d, %v", n, err)
	}
}

// What a model's entry sets comes before what is set for every model of its provider, parameter by parameter.
func TestRequestsOfModelsAndProviders(t *testing.T) {
	c, _ := with(t, `{"models": [
    {"id": "*", "request": {"temperature": 1, "silence": "2m"}},
    {"provider": "llamacpp", "id": "*", "request": {"temperature": 0, "seed": 7, "silence": "90m", "extraBody": {"a": 1, "b": 2}}},
    {"provider": "llamacpp", "id": "qwen3", "contextTokens": 8192, "request": {"temperature": 0.7, "extraBody": {"b": 3}}},
  ]}`)
	for _, tc := range []struct{ provider, id, want, silence string }{
		{"llamacpp", "qwen3", `{"temperature":0.7,"seed":7,"extraBody":{"a":1,"b":3},"silence":"90m"}`, "1h30m0s"},
		{"llamacpp", "other", `{"temperature":0,"seed":7,"extraBody":{"a":1,"b":2},"silence":"90m"}`, "1h30m0s"},
		{"anthropic", "claude-opus-5-5", `{"temperature":1,"silence":"2m"}`, "2m0s"},
		{"", "x", `{"temperature":1,"silence":"2m"}`, "2m0s"},
	} {
		r := find(t, c, tc.provider, tc.id).User.Request
		if got, err := json.Marshal(r); err != nil || string(got) != tc.want || r.LongestSilence().String() != tc.silence {
			t.Errorf("%s:%s sends %s with %v, want %s", tc.provider, tc.id, got, r.LongestSilence(), tc.want)
		}
	}
	if m := find(t, c, "llamacpp", "other").Model(); m.Prompt() != 0 || m.ID != "" {
		t.Errorf("an entry for every model describes one: %+v", m)
	}
	none, _ := with(t, `{"models": [{"id": "a"}]}`)
	if r := find(t, none, "llamacpp", "a").User.Request; r != nil || r.Sends() {
		t.Errorf("nothing is set, and %+v is sent", r)
	}
}

func TestABadFileIsRefusedWithItsPlace(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"not JSON", "{\n\"models\": [}", "line 2: it is not JSON: "},
		{"cut", "{\"models\": [\n", "it ends too early"},
		{"no object", "[]", "line 1: want an object with the field models"},
		{"another field", `{"version": 1}`, `line 1: there is no field "version"; want models`},
		{"no array", "{\"models\":\n{}}", "line 2: want models to be an array"},
		{"an entry that is none", "{\"models\": [\n3]}", "line 2: models[0]: it is not an object"},
		{"a misspelt field", "{\"models\": [\n{\"id\": \"a\"},\n{\"id\": \"b\", \"contextToken\": 3}]}", `line 3: models[1] (b): unknown field "contextToken"`},
		{"a text for a number", "{\"models\": [{\"id\": \"a\",\n\"contextTokens\": \"8k\"}]}", "line 2: models[0] (a): contextTokens is a JSON string, want a number"},
		{"no id", `{"models": [{"contextTokens": 3}]}`, "models[0]: the field id is missing"},
		{"twice", `{"models": [{"id":"a"},{"id":"a"}]}`, "models[1] (a): an entry before it has the same provider and id"},
		{"a negative limit", `{"models": [{"id":"a","outputTokens":-1}]}`, "outputTokens is -1"},
		{"prompt and context", `{"models": [{"id":"a","contextTokens":1,"promptTokens":2}]}`, "promptTokens is 2, more than contextTokens"},
		{"a negative price", `{"models": [{"id":"a","prices":[{"input":-1,"output":1}]}]}`, "prices[0]: input is -1"},
		{"a price of another type", `{"models": [{"id":"a","prices":[{"input":1,"output":"3"}]}]}`, "prices.output is a JSON string, want a number"},
		{"half a price", `{"models": [{"id":"a","prices":[{"input":1}]}]}`, "prices[0]: want input and output"},
		{"long alone", `{"models": [{"id":"a","prices":[{"input":1,"output":1,"above":5}]}]}`, "prices[0]: above and long need each other"},
		{"a later price without a day", `{"models": [{"id":"a","prices":[{"input":1,"output":1},{"input":1,"output":1}]}]}`, "prices[1]: the field from is missing"},
		{"days in disorder", `{"models": [{"id":"a","prices":[{"from":"2026-02-01","input":1,"output":1},{"from":"2026-01-01","input":1,"output":1}]}]}`, "prices[1]: from is not after"},
		{"no day", `{"models": [{"id":"a","ends":"soon"}]}`, `ends is "soon", want a day`},
		{"a temperature below zero", `{"models": [{"id":"a","request":{"temperature":-1}}]}`, "request.temperature is -1, want 0 to 10"},
		{"a misspelt parameter", `{"models": [{"id":"a","request":{"top_p":1}}]}`, `unknown field "top_p"`},
		{"no silence", `{"models": [{"id":"a","request":{"silence":"90"}}]}`, `request.silence is "90", want a time from 1s to 24h`},
		{"too long a silence", `{"models": [{"id":"a","request":{"silence":"25h"}}]}`, "want a time from 1s to 24h"},
		{"a whole number", `{"models": [{"id":"a","request":{"seed":1.5}}]}`, "seed is a JSON number"},
		{"every model with limits", `{"models": [{"id":"*","contextTokens":4096,"request":{"seed":1}}]}`, "an entry for every model can have only provider, request, note, source and date"},
		{"every model with nothing", `{"models": [{"id":"*"}]}`, "an entry for every model needs the field request"},
		{"more behind it", `{"models": []} {}`, "text follows the end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, path := with(t, tc.text)
			_, err := c.Find("openai", "gpt-4.1")
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), path) || fault.KindOf(err) != fault.Invalid {
				t.Fatalf("Find = %v, want %q, and the file", err, tc.want)
			}
			write(t, path, `{"models": []}  // repaired, and of another length: `+tc.name)
			if _, err := c.Find("openai", "gpt-4.1"); err != nil {
				t.Errorf("after the repair: %v", err)
			}
		})
	}
}

func TestCost(t *testing.T) {
	c := known.New(vfs.OS{}, "")
	day := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name, provider, id string
		at                 time.Time
		tokens             known.Tokens
		want               float64
	}{
		{"input and output", "anthropic", "claude-opus-5-5", day, known.Tokens{Input: 1_000_000, Output: 100_000}, 4 + 2},
		{"cache", "anthropic", "claude-opus-5-5", day, known.Tokens{Input: 1_000_000, CacheRead: 800_000, CacheWrite: 100_000}, 0.4 + 0.16 + 0.5},
		{"a long prompt costs more as a whole", "openai", "gpt-6.2-sol", day, known.Tokens{Input: 300_000, Output: 10_000}, 1.2 + 0.15},
		{"the longest short one", "openai", "gpt-6.2-sol", day, known.Tokens{Input: 272_000}, 0.544},
		{"cached input without a price of its own", "openai", "gpt-6.2-astra", day, known.Tokens{Input: 1000, CacheRead: 1000}, 0.008},
		{"the price of another day", "gemini", "gemini-4-argon", day.AddDate(0, 0, 9), known.Tokens{Input: 1_000_000}, 4},
		{"the day before", "gemini", "gemini-4-argon", day.AddDate(0, 0, 8), known.Tokens{Input: 1_000_000}, 2},
		{"more cached than there was", "gemini", "gemini-3.8-flash", day, known.Tokens{Input: 1, CacheRead: 1_000_000}, 0.075},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := find(t, c, tc.provider, tc.id).Model()
			p := m.PriceAt(tc.at)
			if p == nil {
				t.Fatal("no price")
			}
			if got := p.Cost(tc.tokens); math.Abs(got-tc.want) > 1e-9 {
				t.Errorf("Cost(%+v) = %g, want %g", tc.tokens, got, tc.want)
			}
		})
	}
	m := find(t, c, "openai", "gpt-5.6-sol").Model()
	if p := m.PriceAt(day); p != nil {
		t.Errorf("the price of gpt-5.6-sol is not known any more, and is %+v", p)
	}
	later := known.Model{Prices: []known.Price{{From: "2026-12-01"}}}
	if p := later.PriceAt(day); p != nil {
		t.Errorf("a price before its first day: %+v", p)
	}
}

func TestProviderAt(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.openai.com/v1":                              "openai",
		"https://API.Anthropic.com":                              "anthropic",
		"https://bedrock-runtime.eu-west-1.amazonaws.com":        "bedrock",
		"https://mine.openai.azure.com/openai/v1":                "azure",
		"http://127.0.0.1:11434/v1":                              "",
		"https://api.openai.com.evil.example/v1":                 "",
		"https://dashscope-intl.aliyuncs.com/compatible-mode/v1": "qwen",
		"":           "",
		"://":        "",
		"http://[::": "",
	} {
		if got := known.ProviderAt(address); got != want {
			t.Errorf("ProviderAt(%q) = %q, want %q", address, got, want)
		}
	}
}

// Entries for a program on this machine count for its usual address, however the user has named it.
func TestProviderOf(t *testing.T) {
	for _, tc := range []struct{ vendor, address, want string }{
		{"", "http://127.0.0.1:11434/v1", "ollama"},
		{"", "http://LocalHost:1234/v1", "lmstudio"},
		{"", "http://[::1]:8080", "llamacpp"},
		{"", "http://localhost:8000/v1", "vllm"},
		{"", "http://localhost:8001/v1", ""},
		{"", "http://192.168.1.5:8080/v1", ""},
		{"", "http://localhost.example:8080/v1", ""},
		{"vllm", "http://localhost:8080/v1", "vllm"},
		{"", "https://api.openai.com/v1", "openai"},
		{"", "://", ""},
	} {
		if got := known.ProviderOf(tc.vendor, tc.address); got != tc.want {
			t.Errorf("ProviderOf(%q, %q) = %q, want %q", tc.vendor, tc.address, got, tc.want)
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add(`{"models": [{"id": "a", "prices": [{"input": 1, "output": 2}]}]}`)
	f.Add(`{"models": [{"id": "a" // b`)
	f.Fuzz(func(t *testing.T, text string) {
		c, path := with(t, text)
		if _, err := c.Check(); err != nil && (!strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "known.")) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
