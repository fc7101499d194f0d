package wiring

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// Keys are found for every way to name a provider, the environment goes first, and no provider
// gets the key of another one.
func TestWhereTheKeyOfAProviderComesFrom(t *testing.T) {
	stored := Keys(loaded(t, map[string]string{"SIDESTICK_KEYRING": "off", "SIDESTICK_HOME": t.TempDir()}), cli.System{FS: vfs.OS{}}, &obs.Redactor{})
	defer stored.Close()
	for name, key := range map[string]string{"anthropic": "kept-anthropic", "openai": "kept-openai", "http://box:8000/v1": "kept-box"} {
		if err := stored.Set(t.Context(), name, keys.Entry{Key: key}, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := stored.Set(t.Context(), "mistral", keys.Entry{Keyring: true}, "k"); err == nil || !strings.Contains(err.Error(), "SIDESTICK_KEYRING") {
		t.Errorf("the keyring is off, and Set returns %v", err)
	}
	for _, tc := range []struct {
		name string
		env  map[string]string
		key  string
		err  string
	}{
		{"a vendor", map[string]string{"MODEL": "anthropic:m"}, "kept-anthropic", ""},
		{"a vendor elsewhere", map[string]string{"MODEL": "anthropic:m", "ANTHROPIC_BASE_URL": "http://gateway"}, "kept-anthropic", ""},
		{"the environment goes first", map[string]string{"MODEL": "anthropic:m", "ANTHROPIC_API_KEY": "of-env"}, "of-env", ""},
		{"a vendor without a key", map[string]string{"MODEL": "gemini:m"}, "", "there is no key for gemini; set GEMINI_API_KEY, or run: sidestick keys set gemini"},
		{"a local server", map[string]string{"MODEL": "ollama:m"}, "", ""},
		{"an address", map[string]string{"MODEL": "http://box:8000/v1#m"}, "kept-box", ""},
		{"another port", map[string]string{"MODEL": "http://box:8001/v1#m"}, "", ""},
		{"a base URL", map[string]string{"MODEL": "m", "OPENAI_BASE_URL": "http://BOX:8000/v1/"}, "kept-box", ""},
		{"the base URL of a vendor", map[string]string{"MODEL": "m", "OPENAI_BASE_URL": "https://api.openai.com/v1"}, "kept-openai", ""},
		{"Copilot", map[string]string{"MODEL": "m", "GH_TOKEN": "token"}, "token", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := loaded(t, tc.env)
			later, ok := named(cfg, stored, nil)(tc.env["MODEL"])
			if !ok {
				later = Provider(cfg, stored)
			}
			for from, p := range map[string]provider.Provider{"configured": Provider(cfg, stored), "named later": later} {
				var err error
				key := p.Endpoint.Secret()
				if from == "named later" && (p.Missing == nil) != (tc.err == "") {
					t.Errorf("%s: missing is %v, want %q", from, p.Missing, tc.err)
				}
				if p.Endpoint.Keys != nil {
					key, err = p.Endpoint.Keys(t.Context(), "")
				}
				if key != tc.key || (err == nil) != (tc.err == "") || err != nil && (!strings.Contains(err.Error(), tc.err) || fault.KindOf(err) != fault.Invalid) {
					t.Errorf("%s: %q, %v, want %q, %q", from, key, err, tc.key, tc.err)
				}
			}
		})
	}
}

// loaded is the configuration of an environment. MODEL in it is the flag --model.
func loaded(t *testing.T, env map[string]string) config.Config {
	t.Helper()
	cfg, err := config.Load(config.Flags{Model: env["MODEL"]}, func(name string) string { return env[name] }, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
