package wiring

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
)

// TestEveryDurabilityReachesTheStore: what config lets through is told apart here.
func TestEveryDurabilityReachesTheStore(t *testing.T) {
	for name, want := range map[string]files.Sync{"": files.SyncTurn, "turn": files.SyncTurn, "always": files.SyncAlways, "os": files.SyncOS} {
		cfg, err := config.Load(config.Flags{Durability: name}, func(string) string { return "" }, "/home/ann")
		if err != nil {
			t.Fatal(err)
		}
		if got := durability(cfg.Durability.Value); got != want {
			t.Errorf("--durability %q is %v, want %v", name, got, want)
		}
	}
}

// Every variable that a secret of the program can come from is kept from commands, whichever
// of them is used, except for those that gh and git need.
func TestCommandsInheritNoVariableWithASecret(t *testing.T) {
	flags := config.Flags{AuthTokenEnv: "MY_TOKEN", AgentTokenEnv: "GITHUB_TOKEN"}
	env := map[string]string{"OPENAI_BASE_URL": "https://x.test/v1?api_key=k", "SIDESTICK_BASE_URL": "", "COPILOT_API_URL": "https://y.test/", "ANTHROPIC_BASE_URL": "http://u:p@h", "AZURE_OPENAI_ENDPOINT": "http://a?api_key=k", "GOOGLE_GEMINI_BASE_URL": "https://z.test"}
	for _, v := range config.SecretVariables(flags, func(string) string { return "" }) {
		env[v.Name] = "canary of " + v.Name
	}
	cfg, err := config.Load(flags, func(name string) string { return env[name] }, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for name := range env {
		dropped := slices.ContainsFunc(secretVariables(cfg), func(pattern string) bool {
			prefix, open := strings.CutSuffix(pattern, "*")
			return name == pattern || open && strings.HasPrefix(name, prefix)
		})
		if !dropped {
			kept = append(kept, name)
		}
	}
	slices.Sort(kept)
	if want := []string{"COPILOT_API_URL", "GH_TOKEN", "GOOGLE_GEMINI_BASE_URL"}; !slices.Equal(kept, want) {
		t.Errorf("commands inherit %v, want %v", kept, want)
	}
}

// A session that allows everything can say which flag or file has switched that on.
func TestWhatAllowsEverythingIsNamed(t *testing.T) {
	for from, want := range map[string]string{"flag --yolo": "--yolo", "file /c.jsonc:3": "file /c.jsonc:3"} {
		r, err := permissions(config.Config{AllowAll: config.Setting[bool]{Value: true, From: from}})
		if err != nil || !r.All || r.AllBy != want {
			t.Errorf("%s: %v, %q, %v", from, r.All, r.AllBy, err)
		}
	}
}
