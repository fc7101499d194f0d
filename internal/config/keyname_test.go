package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheNameOfAKey(t *testing.T) {
	for text, want := range map[string]string{
		"anthropic":                  "anthropic",
		"https://api.openai.com/v1/": "openai",
		"https://API.Anthropic.com":  "anthropic",
		"http://Box:8000/v1/":        "http://box:8000/v1",
		"http://box/Path/V1":         "http://box/Path/V1",
	} {
		if got, err := KeyName(text); got != want || err != nil {
			t.Errorf("KeyName(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "sk-proj-0123456789abcdef", "anthropic:m", "ftp://x", "https://u:0123456789abcdef@x/v1", "https://x/?key=0123456789abcdef", "https://x/v1#0123456789abcdef"} {
		got, err := KeyName(text)
		if err == nil {
			t.Errorf("KeyName(%q) = %q, want an error", text, got)
		} else if strings.Contains(err.Error(), "0123456789abcdef") {
			t.Errorf("KeyName(%q) repeats a key: %v", text, err)
		}
	}
}

func TestKeysOfTheEnvironment(t *testing.T) {
	e := env{"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a", "SIDESTICK_API_KEY": "s", "SIDESTICK_BASE_URL": "http://box/v1/", "GH_TOKEN": "g"}
	want := []KeySource{
		{"openai", "OPENAI_API_KEY", "o"}, {"anthropic", "ANTHROPIC_API_KEY", "a"}, {"http://box/v1", "SIDESTICK_API_KEY", "s"}, {"github", "GH_TOKEN", "g"},
	}
	text := func(s Secret) string { return string(s) }
	if diff := cmp.Diff(want, load(t, Flags{}, e).KeySources(), cmp.Transformer("text", text)); diff != "" {
		t.Error("KeySources (-want +got):\n" + diff)
	}
	if got := load(t, Flags{}, env{"OPENAI_API_KEY": "o"}).KeySources(); len(got) != 1 {
		t.Errorf("one key is listed as %v", got)
	}
}
