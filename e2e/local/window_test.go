//go:build local

package local

import (
	"os/exec"
	"regexp"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
)

// The window that is in force is asked from the server, whoever has named it, and shown.
func TestTheWindowIsThatOfTheServer(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 10})
	for _, tc := range []struct {
		name     string
		env      []string
		provider *copilot.ProviderConfig
	}{
		{"a provider of the client", nil, m.provider()},
		{"a provider of the configuration", []string{"SIDESTICK_BASE_URL=" + m.url + "/v1", "SIDESTICK_MODEL=smollm2"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := create(t, start(t, t.TempDir(), tc.env...), copilot.SessionConfig{Provider: tc.provider})
			s.ask("Say yes.")
			info := all[*copilot.SessionUsageInfoData](s)
			if len(info) == 0 {
				t.Fatalf("there is no session.usage_info:\n%s", s.told())
			}
			for _, i := range info {
				if i.TokenLimit != 8192 {
					t.Errorf("session.usage_info says a tokenLimit of %d; the server has 8,192", i.TokenLimit)
					break
				}
			}
		})
	}
	t.Run("doctor", func(t *testing.T) {
		home := t.TempDir()
		cmd := exec.CommandContext(soon(t), binary, "doctor")
		cmd.Dir, cmd.Env = home, append(environment(home), "SIDESTICK_BASE_URL="+m.url+"/v1", "SIDESTICK_MODEL=smollm2")
		out, err := cmd.CombinedOutput() // an exit code says that something could be better
		if !regexp.MustCompile(`8,?192`).Match(out) {
			t.Errorf("doctor does not say that the window has 8,192 tokens: %v\n%s", err, out)
		}
	})
}
