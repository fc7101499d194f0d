package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestProvider(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  env
		want Provider
	}{
		{"nothing", env{}, Provider{Kind: None, From: Unset}},
		{"a server without a key", env{"OPENAI_BASE_URL": "http://l/v1", "SIDESTICK_MODEL": "m"}, Provider{Kind: OpenAI, BaseURL: "http://l/v1", Model: "m", From: "env OPENAI_BASE_URL", KeyName: "http://l/v1"}},
		{"a key alone", env{"OPENAI_API_KEY": "k"}, Provider{Kind: OpenAI, BaseURL: "https://api.openai.com/v1", Key: "k", From: Default, KeyName: "openai"}},
		{"a token alone", env{"GH_TOKEN": "t"}, Provider{Kind: Copilot, BaseURL: CopilotBase, Key: "t", From: "env GH_TOKEN", Anywhere: true}},
		{"an address alone", env{"COPILOT_API_URL": "http://c"}, Provider{Kind: None, From: Unset}},
		{"token and address", env{"GH_TOKEN": "t", "COPILOT_API_URL": "http://c"}, Provider{Kind: Copilot, BaseURL: "http://c", Key: "t", From: "env COPILOT_API_URL"}},
		{"one's own server goes before Copilot", env{"GH_TOKEN": "t", "COPILOT_API_URL": "http://c", "OPENAI_API_KEY": "k"}, Provider{Kind: OpenAI, BaseURL: "https://api.openai.com/v1", Key: "k", From: Default, KeyName: "openai"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, load(t, Flags{}, tc.env).Provider()); diff != "" {
				t.Error("Provider (-want +got):\n" + diff)
			}
		})
	}
}

func TestNoModelHelp(t *testing.T) {
	for _, tc := range []struct {
		name string
		env  env
		want string // the line of what was found; "" for none
	}{
		{"nothing", env{}, ""},
		{"only a name", env{"SIDESTICK_MODEL": "m"}, "Found: a model, but no provider.\n"},
		{"only a token", env{"GH_TOKEN": "t"}, "Found: a provider, but no model; set SIDESTICK_MODEL.\n"},
		{"only an address", env{"COPILOT_API_URL": "http://c"}, "Found: COPILOT_API_URL, but no GitHub token.\n"},
		{"only a provider", env{"OPENAI_API_KEY": "k"}, "Found: a provider, but no model; set SIDESTICK_MODEL.\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			help := load(t, Flags{}, tc.env).NoModelHelp()
			if !strings.HasPrefix(help, "No model is configured.\n") || !strings.Contains(help, "\n\nTo choose one now, run: sidestick init\n") || strings.Index(help, "sidestick init") > strings.Index(help, "OPENAI_BASE_URL=") {
				t.Errorf("sidestick init is not the first way of\n%s", help)
			}
			if n := strings.Count(help, "\n"); n > 23 {
				t.Errorf("a terminal of usual size does not show all of %d lines", n)
			}
			_, found, _ := strings.Cut(help, "Found: ")
			if tc.want == "" && found != "" || !strings.Contains(help, tc.want) {
				t.Errorf("help says\n%s\nwant in it %q", help, tc.want)
			}
			for line := range strings.Lines(help) {
				if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
					t.Errorf("over 80 columns: %s", line)
				}
			}
			for _, way := range []string{"baseUrl", "OPENAI_BASE_URL=", "OPENAI_API_KEY=", "SIDESTICK_MODEL=", "COPILOT_API_URL", "GH_TOKEN"} {
				if !strings.Contains(help, way) {
					t.Errorf("help does not name %s", way)
				}
			}
		})
	}
}

// described are the settings of TestDescribe as they are printed.
func described() []Line {
	return append([]Line{
		{"home", "/s", "env SIDESTICK_HOME"},
		{"model", "", Unset},
		{"fallback", "", Unset},
		{"base URL", "http://l/v1?…", "env OPENAI_BASE_URL"},
		{"API key", "«redacted» (7 bytes)", "env OPENAI_API_KEY"},
		{"keyring", "on", Default},
		{"Copilot API", "", Unset},
		{"GitHub token", "«redacted» (7 bytes)", "env GH_TOKEN"},
		{"agent token", "«redacted» (7 bytes)", "env SIDESTICK_AGENT_TOKEN"},
		{"retry for", "2m0s", Default},
		{"silence", "", Unset},
		{"repeated answers", "stop", Default},
		{"repeated calls", "stop", Default},
		{"CA file", "", Unset},
		{"CA file (Node)", "", Unset},
		{"client cert", "", Unset},
		{"client key", "", Unset},
		{"GitHub API", "https://api.github.com", Default},
		{"host", "127.0.0.1", Default},
		{"port", "80", "flag --port"},
		{"answers at once", "32", Default},
		{"nested agents", "3", Default},
		{"agents at once", "16", Default},
		{"agents in all", "200", Default},
		{"agent models", "", Unset},
		{"connection token", "", Unset},
		{"durability", "turn", Default},
		{"idle timeout", "1m30s", "flag --session-idle-timeout"},
		{"allow all", "false", Default},
		{"allowed tools", "", Unset},
		{"denied tools", "", Unset},
		{"all paths", "false", Default},
		{"protected files", "", Unset},
		{"folders", "", Unset},
		{"sandbox", "on for run and chat", Default},
		{"sandbox auto", "false", Default},
		{"sandbox excludes", "", Unset},
		{"sandbox required", "false", Default},
		{"span file", "", "not set"},
		{"span source", "sidestick", "default"},
		{"span content", "false", "default"},
		{"spans elsewhere", "", "not set"},
		{"web sockets", "true", Default},
		{"keys to clients", "false", Default},
		{"record", "", Unset},
		{"replay", "", Unset},
		{"replay tools", "false", Default},
	}, describedLast()...)
}

func describedLast() []Line {
	return []Line{
		{"tool set", "auto", Default},
		{"tool search", "auto", Default},
		{"effort", "", Unset},
		{"max turns", "0", Default},
		{"max tokens", "0", Default},
		{"time limit", "0s", Default},
		{"log level", "warning", Default},
		{"local servers", "", Unset},
		{"log directory", "", Unset},
	}
}

func TestDescribe(t *testing.T) {
	cfg := load(t, Flags{IdleSeconds: 90, Port: 80}, env{
		"SIDESTICK_HOME": "/s", "OPENAI_BASE_URL": "http://l/v1?key=hunter2", "OPENAI_API_KEY": "hunter2", "GH_TOKEN": "hunter2", "SIDESTICK_AGENT_TOKEN": "hunter2",
	})
	want := append(
		described(), Line{"Claude's files", "on", Default}, Line{"instructions in", "", Unset},
		Line{"openai key", "«redacted» (7 bytes)", "env OPENAI_API_KEY"},
	)
	if diff := cmp.Diff(want, cfg.Describe()); diff != "" {
		t.Error("Describe (-want +got):\n" + diff)
	}
}

func TestDescribeHasWhatSingleProvidersNeed(t *testing.T) {
	cfg := load(t, Flags{}, env{
		"AWS_BEARER_TOKEN_BEDROCK": "hunter2", "OLLAMA_HOST": "http://hunter2@o", "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "hunter2",
	})
	want := []Line{
		{"bedrock key", "«redacted» (7 bytes)", "env AWS_BEARER_TOKEN_BEDROCK"},
		{"ollama URL", "http://…@o", "env OLLAMA_HOST"},
		{"AWS region", "us-east-1", "env AWS_REGION"},
		{"AWS key id", "id", "env AWS_ACCESS_KEY_ID"},
		{"AWS secret", "«redacted» (7 bytes)", "env AWS_SECRET_ACCESS_KEY"},
	}
	if diff := cmp.Diff(want, cfg.describeVendors()); diff != "" {
		t.Error("describeVendors (-want +got):\n" + diff)
	}
}

func TestZeroIsDescribedInWords(t *testing.T) {
	value := map[string]string{}
	for _, line := range load(t, Flags{}, env{}).Describe() {
		value[line.Name] = line.Value
	}
	if value["port"] != "any free port" || value["idle timeout"] != "10m0s" {
		t.Errorf("zero port and timeout read %q and %q", value["port"], value["idle timeout"])
	}
}

func TestNoWayOfPrintingShowsASecret(t *testing.T) {
	cfg := load(t, Flags{}, env{"OPENAI_API_KEY": "hunter2", "GH_TOKEN": "hunter2", "SIDESTICK_AGENT_TOKEN": "hunter2", "COPILOT_CONNECTION_TOKEN": "hunter2"})
	asJSON, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("loaded", "config", cfg, "key", cfg.APIKey.Value)
	for way, text := range map[string]string{
		"%v":   fmt.Sprintf("%v", cfg),
		"%+v":  fmt.Sprintf("%+v", cfg),
		"%#v":  fmt.Sprintf("%#v", cfg),
		"%q":   fmt.Sprintf("%q", cfg.APIKey.Value),
		"json": string(asJSON),
		"slog": log.String(),
	} {
		if strings.Contains(text, "hunter2") || !strings.Contains(text, "redacted") {
			t.Errorf("%s shows %s", way, text)
		}
	}
	if string(cfg.APIKey.Value) != "hunter2" {
		t.Errorf("string(secret) = %q", string(cfg.APIKey.Value))
	}
}

func TestANameWithoutAProviderIsExplained(t *testing.T) {
	for name, want := range map[string]string{
		"foo:bar": `"foo" is none of these providers:`, "plain": "a model, but no provider.",
	} {
		help := load(t, Flags{Model: name}, env{}).NoModelHelp()
		if !strings.Contains(help, want) {
			t.Errorf("%s: the help does not say %q:\n%s", name, want, help)
		}
		for line := range strings.Lines(help) {
			if len(line) > 81 || strings.HasSuffix(line, " \n") {
				t.Errorf("%s: a line is too long, or ends with a space: %q", name, line)
			}
		}
	}
}
