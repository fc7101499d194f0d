package wiring

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/config"
)

// A program of an MCP server inherits none of the credentials that this program uses, and other variables.
func TestServersInheritNoKeys(t *testing.T) {
	for _, name := range []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "SIDESTICK_API_KEY", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN",
		"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_AD_TOKEN",
	} {
		t.Setenv(name, "secret-of-"+name)
	}
	t.Setenv("PLAIN", "three")
	opts := servers(config.Config{})
	plain := false
	for _, v := range opts.Environ {
		name, value, _ := strings.Cut(v, "=")
		if strings.HasPrefix(value, "secret-of-") && !slices.Contains(opts.Withheld, name) {
			t.Errorf("a server inherits %s", name)
		}
		plain = plain || name == "PLAIN"
	}
	if !plain {
		t.Error("a server does not inherit PLAIN")
	}
}
