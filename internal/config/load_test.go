package config

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// env is an environment as a test writes it.
type env map[string]string

func (e env) get(name string) string { return e[name] }

func load(t *testing.T, flags Flags, e env) Config {
	t.Helper()
	cfg, err := Load(flags, e.get, "/home/ann")
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestNothingGiven(t *testing.T) {
	want := Config{
		Home:            Setting[string]{filepath.FromSlash("/home/ann/.local/share/sidestick"), Default},
		LogLevel:        Setting[string]{"warning", Default},
		LogDir:          Setting[string]{"", Unset},
		GitHubToken:     Setting[Secret]{"", Unset},
		AgentToken:      Setting[Secret]{"", Unset},
		GitHubAPI:       Setting[string]{"https://api.github.com", Default},
		CopilotAPI:      Setting[string]{"", Unset},
		ConnectionToken: Setting[Secret]{"", Unset},
		BaseURL:         Setting[string]{"", Unset},
		APIKey:          Setting[Secret]{"", Unset},
		Model:           Setting[string]{"", Unset},
		Fallback:        Setting[string]{"", Unset},
		Effort:          Setting[string]{"", Unset},
		Budget:          Budget{Setting[int]{0, Default}, Setting[int]{0, Default}, Setting[time.Duration]{0, Default}},
		Terminal: Terminal{
			Theme: Setting[string]{"auto", Default}, Notifications: Setting[string]{"unfocused", Default}, Bell: Setting[bool]{true, Default},
			Reasoning: Setting[string]{"collapsed", Default}, Vim: Setting[bool]{false, Default}, Keys: Setting[map[string][]string]{nil, Unset}, Editor: Setting[string]{"", Unset},
		},
		CAFile: Setting[string]{"", Unset}, NodeCAFile: Setting[string]{"", Unset}, ClientCert: Setting[string]{"", Unset}, ClientKey: Setting[string]{"", Unset},
		ToolSet:         Setting[string]{"auto", Default},
		ToolSearch:      Setting[string]{"auto", Default},
		Silence:         Setting[string]{"", Unset},
		LocalServers:    Setting[string]{"", Unset},
		Keyring:         Setting[bool]{true, Default},
		Durability:      Setting[string]{"turn", Default},
		RetryFor:        Setting[string]{"2m0s", Default},
		RepeatedAnswers: Setting[string]{"stop", Default},
		RepeatedCalls:   Setting[string]{"stop", Default},
		IdleTimeout:     Setting[time.Duration]{10 * time.Minute, Default},
		Host:            Setting[string]{"127.0.0.1", Default},
		Port:            Setting[int]{0, Default},
		Answers:         Setting[int]{32, Default},
		Subagents: Subagents{
			Depth: Setting[int]{3, Default}, Running: Setting[int]{16, Default}, Total: Setting[int]{200, Default}, Models: Setting[string]{"", Unset},
		},
		AllowAll:         Setting[bool]{false, Default},
		AllowTools:       Setting[[]string]{nil, Unset},
		DenyTools:        Setting[[]string]{nil, Unset},
		AllPaths:         Setting[bool]{false, Default},
		Folders:          Setting[[]string]{nil, Unset},
		Protected:        Setting[[]string]{nil, Unset},
		Sandbox:          Setting[string]{"", Unset},
		SandboxAutoAllow: Setting[bool]{false, Default},
		SandboxExclude:   Setting[[]string]{nil, Unset},
		SandboxRequired:  Setting[bool]{false, Default},
		TraceFile:        Setting[string]{"", Unset},
		TraceSource:      Setting[string]{"sidestick", Default},
		TraceContent:     Setting[bool]{false, Default},
		TraceElsewhere:   Setting[string]{"", Unset},
		WebSockets:       Setting[bool]{true, Default},
		ShowKeys:         Setting[bool]{false, Default},
		Tape:             Tape{Setting[string]{From: Unset}, Setting[string]{From: Unset}, fallback(false)},
	}
	want.ClaudeInstructions, want.InstructionDirs = Setting[string]{"on", Default}, Setting[string]{"", Unset}
	if diff := cmp.Diff(want, load(t, Flags{}, env{})); diff != "" {
		t.Error("Load of nothing (-want +got):\n" + diff)
	}
}

func TestTheFirstSourceWins(t *testing.T) {
	token := func(c Config) Setting[Secret] { return c.GitHubToken }
	agents := func(c Config) Setting[Secret] { return c.AgentToken }
	key := func(c Config) Setting[Secret] { return c.APIKey }
	base := func(c Config) Setting[string] { return c.BaseURL }
	model := func(c Config) Setting[string] { return c.Model }
	home := func(c Config) Setting[string] { return c.Home }
	durability := func(c Config) Setting[string] { return c.Durability }
	answers := func(c Config) Setting[int] { return c.Answers }
	for _, tc := range []struct {
		name  string
		flags Flags
		env   env
		got   any // a function of a Config
		want  string
	}{
		{"the SDK's home", Flags{}, env{"COPILOT_HOME": "/a", "SIDESTICK_HOME": "/b"}, home, "/a from env COPILOT_HOME"},
		{"our own home", Flags{}, env{"SIDESTICK_HOME": "/b"}, home, "/b from env SIDESTICK_HOME"},
		{"a flag before the environment", Flags{Model: "m1"}, env{"SIDESTICK_MODEL": "m2"}, model, "m1 from flag --model"},
		{"durability by flag", Flags{Durability: "os"}, env{"SIDESTICK_DURABILITY": "always"}, durability, "os from flag --durability"},
		{"durability by environment", Flags{}, env{"SIDESTICK_DURABILITY": "always"}, durability, "always from env SIDESTICK_DURABILITY"},
		{"answers by flag", Flags{Answers: "7"}, env{"SIDESTICK_MAX_ANSWERS": "5"}, answers, "7 from flag --max-answers"},
		{"our model before OpenAI's", Flags{}, env{"SIDESTICK_MODEL": "m2", "OPENAI_MODEL": "m3"}, model, "m2 from env SIDESTICK_MODEL"},
		{"OpenAI's model", Flags{}, env{"OPENAI_MODEL": "m3"}, model, "m3 from env OPENAI_MODEL"},
		{"our base before OpenAI's", Flags{}, env{"SIDESTICK_BASE_URL": "http://a", "OPENAI_BASE_URL": "http://b"}, base, "http://a from env SIDESTICK_BASE_URL"},
		{"the newer name before the older", Flags{}, env{"OPENAI_BASE_URL": "http://b", "OPENAI_API_BASE": "http://c"}, base, "http://b from env OPENAI_BASE_URL"},
		{"the older name", Flags{}, env{"OPENAI_API_BASE": "http://c"}, base, "http://c from env OPENAI_API_BASE"},
		{"a key alone means OpenAI", Flags{}, env{"OPENAI_API_KEY": "k"}, base, "https://api.openai.com/v1 from default"},
		{"no key, no base", Flags{}, env{"SIDESTICK_MODEL": "m"}, base, " from not set"},
		{"a slash at the end goes", Flags{}, env{"OPENAI_BASE_URL": "http://b/v1//"}, base, "http://b/v1 from env OPENAI_BASE_URL"},
		{"our key before OpenAI's", Flags{}, env{"SIDESTICK_API_KEY": "k1", "OPENAI_API_KEY": "k2"}, key, "k1 from env SIDESTICK_API_KEY"},
		{"space and line ends go", Flags{}, env{"OPENAI_API_KEY": " k2\r\n"}, key, "k2 from env OPENAI_API_KEY"},
		{"a blank variable is not set", Flags{}, env{"SIDESTICK_API_KEY": "  ", "OPENAI_API_KEY": "k2"}, key, "k2 from env OPENAI_API_KEY"},
		{"the named token before all", Flags{AuthTokenEnv: "T"}, env{"T": "t0", "COPILOT_GITHUB_TOKEN": "t1"}, token, "t0 from env T (flag --auth-token-env)"},
		{"also without login", Flags{AuthTokenEnv: "T", NoAutoLogin: true}, env{"T": "t0"}, token, "t0 from env T (flag --auth-token-env)"},
		{"Copilot's token", Flags{}, env{"COPILOT_GITHUB_TOKEN": "t1", "GH_TOKEN": "t2", "GITHUB_TOKEN": "t3"}, token, "t1 from env COPILOT_GITHUB_TOKEN"},
		{"the GitHub CLI's token", Flags{}, env{"GH_TOKEN": "t2", "GITHUB_TOKEN": "t3"}, token, "t2 from env GH_TOKEN"},
		{"a workflow's token", Flags{}, env{"GITHUB_TOKEN": "t3"}, token, "t3 from env GITHUB_TOKEN"},
		{"an agent's token is named for it", Flags{}, env{"SIDESTICK_AGENT_TOKEN": "t4", "GH_TOKEN": "t2"}, agents, "t4 from env SIDESTICK_AGENT_TOKEN"},
		{"or by a flag", Flags{AgentTokenEnv: "GH_TOKEN"}, env{"SIDESTICK_AGENT_TOKEN": "t4", "GH_TOKEN": "t2"}, agents, "t2 from env GH_TOKEN (flag --token-env)"},
		{"and is no other", Flags{AuthTokenEnv: "T"}, env{"T": "t0", "COPILOT_GITHUB_TOKEN": "t1", "GH_TOKEN": "t2", "GITHUB_TOKEN": "t3"}, agents, " from not set"},
		{"no login, no token", Flags{NoAutoLogin: true}, env{"GH_TOKEN": "t2"}, token, " from not set"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := load(t, tc.flags, tc.env)
			var got string
			switch read := tc.got.(type) {
			case func(Config) Setting[string]:
				got = read(cfg).Value + " from " + read(cfg).From
			case func(Config) Setting[Secret]:
				got = string(read(cfg).Value) + " from " + read(cfg).From
			case func(Config) Setting[int]:
				got = strconv.Itoa(read(cfg).Value) + " from " + read(cfg).From
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFlagsAndTheOtherVariables(t *testing.T) {
	cfg := load(t, Flags{
		LogLevel: "debug", LogDir: "/logs", Durability: "always", IdleSeconds: 90, Host: "[::1]", Port: 8123, AllowAll: true,
		AllowTools: []string{"shell(git:*)", "write"}, DenyTools: []string{"shell(rm)"}, AllPaths: true, Folders: []string{"../lib"}, Protected: []string{".myrc"},
		Fallback: "small, ollama:qwen3", Sandbox: "read-only", AutoAllow: true, Exclude: []string{"shell(docker:*)"}, Required: true,
	}, env{
		"COPILOT_OTEL_ENABLED": "true", "COPILOT_OTEL_EXPORTER_TYPE": "file", "COPILOT_OTEL_FILE_EXPORTER_PATH": "/tmp/spans.jsonl", "COPILOT_OTEL_SOURCE_NAME": "app",
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.test",
		"COPILOT_ALLOW_GET_PROVIDER_ENDPOINT": "true", "COPILOT_API_URL": "https://copilot.test/", "COPILOT_DEBUG_GITHUB_API_URL": "http://127.0.0.1:9",
		"COPILOT_CONNECTION_TOKEN": "hello", "SIDESTICK_MAX_ANSWERS": "5", "SIDESTICK_KEYRING": "off",
		"SIDESTICK_CA_FILE": "ca.pem", "SIDESTICK_CLAUDE_INSTRUCTIONS": "off", "COPILOT_CUSTOM_INSTRUCTIONS_DIRS": "/a, b", "NODE_EXTRA_CA_CERTS": "node.pem", "SIDESTICK_CLIENT_CERT": "cert.pem", "SIDESTICK_CLIENT_KEY": "key.pem",
	})
	want := Config{
		Home:            cfg.Home,
		LogLevel:        Setting[string]{"debug", "flag --log-level"},
		LogDir:          Setting[string]{"/logs", "flag --log-dir"},
		GitHubToken:     cfg.GitHubToken,
		AgentToken:      cfg.AgentToken,
		GitHubAPI:       Setting[string]{"http://127.0.0.1:9", "env COPILOT_DEBUG_GITHUB_API_URL"},
		CopilotAPI:      Setting[string]{"https://copilot.test", "env COPILOT_API_URL"},
		ConnectionToken: Setting[Secret]{"hello", "env COPILOT_CONNECTION_TOKEN"},
		BaseURL:         cfg.BaseURL, APIKey: cfg.APIKey,
		Model:    cfg.Model,
		Fallback: Setting[string]{"small, ollama:qwen3", "flag --fallback"},
		Effort:   cfg.Effort, Budget: cfg.Budget, Terminal: cfg.Terminal, Keyring: Setting[bool]{false, "env SIDESTICK_KEYRING"},
		CAFile:       Setting[string]{"ca.pem", "env SIDESTICK_CA_FILE"},
		NodeCAFile:   Setting[string]{"node.pem", "env NODE_EXTRA_CA_CERTS"},
		ClientCert:   Setting[string]{"cert.pem", "env SIDESTICK_CLIENT_CERT"},
		ClientKey:    Setting[string]{"key.pem", "env SIDESTICK_CLIENT_KEY"},
		LocalServers: Setting[string]{"", Unset},
		Durability:   Setting[string]{"always", "flag --durability"},
		ToolSet:      Setting[string]{"auto", Default}, ToolSearch: Setting[string]{"auto", Default}, RetryFor: Setting[string]{"2m0s", Default}, Silence: Setting[string]{"", Unset}, RepeatedAnswers: Setting[string]{"stop", Default}, RepeatedCalls: Setting[string]{"stop", Default}, ClaudeInstructions: Setting[string]{"off", "env SIDESTICK_CLAUDE_INSTRUCTIONS"}, InstructionDirs: Setting[string]{"/a, b", "env COPILOT_CUSTOM_INSTRUCTIONS_DIRS"}, IdleTimeout: Setting[time.Duration]{90 * time.Second, "flag --session-idle-timeout"},
		Host:    Setting[string]{"::1", "flag --host"},
		Port:    Setting[int]{8123, "flag --port"},
		Answers: Setting[int]{5, "env SIDESTICK_MAX_ANSWERS"},
		Subagents: Subagents{
			Depth: Setting[int]{3, Default}, Running: Setting[int]{16, Default}, Total: Setting[int]{200, Default}, Models: Setting[string]{"", Unset},
		},
		AllowAll:   Setting[bool]{true, "flag --yolo"},
		AllowTools: Setting[[]string]{[]string{"shell(git:*)", "write"}, "flag --allow-tool"},
		DenyTools:  Setting[[]string]{[]string{"shell(rm)"}, "flag --deny-tool"},
		AllPaths:   Setting[bool]{true, "flag --allow-all-paths"},
		Folders:    Setting[[]string]{[]string{"../lib"}, "flag --add-dir"},
		Protected:  Setting[[]string]{[]string{".myrc"}, "flag --protect"},
		Sandbox:    Setting[string]{"read-only", "flag --sandbox"},

		SandboxAutoAllow: Setting[bool]{true, "flag --sandbox-auto-allow"},
		SandboxExclude:   Setting[[]string]{[]string{"shell(docker:*)"}, "flag --sandbox-exclude"},
		SandboxRequired:  Setting[bool]{true, "flag --sandbox-required"},
		TraceFile:        Setting[string]{"/tmp/spans.jsonl", "env COPILOT_OTEL_FILE_EXPORTER_PATH"},
		TraceSource:      Setting[string]{"app", "env COPILOT_OTEL_SOURCE_NAME"},
		TraceContent:     Setting[bool]{true, "env OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"},
		TraceElsewhere:   Setting[string]{"", Unset},
		WebSockets:       Setting[bool]{true, Default},
		ShowKeys:         Setting[bool]{true, "env COPILOT_ALLOW_GET_PROVIDER_ENDPOINT"}, Tape: Tape{Setting[string]{From: Unset}, Setting[string]{From: Unset}, fallback(false)},
	}
	if diff := cmp.Diff(want, cfg); diff != "" {
		t.Error("Load (-want +got):\n" + diff)
	}
}

func TestWhatIsRefused(t *testing.T) {
	const huge = int(^uint(0) >> 1)
	for _, tc := range []struct {
		name  string
		flags Flags
		env   env
		want  string // in the error; "" for none
	}{
		{"a URL without a scheme", Flags{}, env{"OPENAI_BASE_URL": "localhost:11434/v1"}, "env OPENAI_BASE_URL: the URL does not begin with http:// or https://"},
		{"another scheme", Flags{}, env{"SIDESTICK_BASE_URL": "ftp://x"}, "env SIDESTICK_BASE_URL: the URL has the scheme ftp"},
		{"no host", Flags{}, env{"COPILOT_API_URL": "http:///v1"}, "env COPILOT_API_URL: the URL names no host"},
		{"only a port", Flags{}, env{"COPILOT_API_URL": "http://:80"}, "env COPILOT_API_URL: the URL names no host"},
		{"no URL", Flags{}, env{"COPILOT_DEBUG_GITHUB_API_URL": "http://[::1"}, "env COPILOT_DEBUG_GITHUB_API_URL: this is not a URL"},
		{"a password in it", Flags{}, env{"OPENAI_API_BASE": "http://u:hunter2@x"}, "env OPENAI_API_BASE: the URL contains a user name or password"},
		{"a word for a switch", Flags{}, env{"SIDESTICK_DUMPABLE": "yes"}, `env SIDESTICK_DUMPABLE: "yes" is neither 0 nor 1`},
		{"a port too large", Flags{Port: 65536}, nil, "flag --port: 65536 is not a port"},
		{"a port too small", Flags{Port: -1}, nil, "flag --port: -1 is not a port"},
		{"the largest port", Flags{Port: 65535}, nil, ""},
		{"a durability that there is not", Flags{}, env{"SIDESTICK_DURABILITY": "allways"}, `env SIDESTICK_DURABILITY: there is no durability "allways" (turn, always or os)`},
		{"a keyring that there is not", Flags{}, env{"SIDESTICK_KEYRING": "true"}, `env SIDESTICK_KEYRING: "true" is neither on nor off (on, the default, or off)`},
		{"a sandbox that there is not", Flags{}, env{"SIDESTICK_SANDBOX": "of"}, `env SIDESTICK_SANDBOX: there is no sandbox "of" (on, off, read-only or workspace-write)`},
		{"no sandbox and one", Flags{NoSandbox: true, Sandbox: "read-only"}, nil, "flag --no-sandbox: it contradicts the other flags of the sandbox"},
		{"each that there is", Flags{Durability: "os"}, nil, ""},
		{"a negative timeout", Flags{IdleSeconds: -1}, nil, "flag --session-idle-timeout: a timeout cannot be negative"},
		{"a very negative timeout", Flags{IdleSeconds: -huge}, nil, "flag --session-idle-timeout: a timeout cannot be negative"},
		{"a very long timeout", Flags{IdleSeconds: huge}, nil, ""},
		{"an open host without a token", Flags{Host: "0.0.0.0"}, nil, "flag --host: other machines can reach 0.0.0.0, and no connection token is set (set COPILOT_CONNECTION_TOKEN"},
		{"a name that may be anyone", Flags{Host: "box.lan"}, nil, "flag --host: other machines can reach box.lan"},
		{"an open host of the other family", Flags{Host: "::"}, nil, "other machines can reach ::, and no connection token"},
		{"one in brackets", Flags{Host: "[::]"}, nil, "other machines can reach ::, and no connection token"},
		{"one that is mapped", Flags{Host: "::ffff:0.0.0.0"}, nil, "other machines can reach ::ffff:0.0.0.0, and no connection token"},
		{"an address of the machine", Flags{Host: "10.1.2.3"}, nil, "other machines can reach 10.1.2.3, and no connection token"},
		{"an open host with a token", Flags{Host: "::"}, env{"COPILOT_CONNECTION_TOKEN": "t"}, ""},
		{"an open host with another guard", Flags{Host: "::", Guarded: true}, nil, ""},
		{"no answers at all", Flags{Answers: "0"}, nil, `flag --max-answers: "0" is not a number from 1 to 10000 (give the largest number of answers`},
		{"fewer than none", Flags{}, env{"SIDESTICK_MAX_ANSWERS": "-3"}, `env SIDESTICK_MAX_ANSWERS: "-3" is not a number`},
		{"too many answers", Flags{Answers: "10001"}, nil, `flag --max-answers: "10001" is not a number`},
		{"answers in words", Flags{Answers: "many"}, nil, `flag --max-answers: "many" is not a number`},
		{"this machine by name", Flags{Host: "localhost"}, nil, ""},
		{"this machine by another number", Flags{Host: "127.8.8.8"}, nil, ""},
		{"a host with a port", Flags{Host: "127.0.0.1:80"}, nil, `flag --host: "127.0.0.1:80" is not an address (the port goes into --port)`},
		{"a named token for an agent that is not there", Flags{AgentTokenEnv: "T"}, env{"SIDESTICK_AGENT_TOKEN": "t"}, "flag --token-env: the environment variable T is empty or not set"},
		{"a named token that is not there", Flags{AuthTokenEnv: "T"}, env{"GH_TOKEN": "t"}, "flag --auth-token-env: the environment variable T is empty or not set"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Load(tc.flags, tc.env.get, "/home/ann")
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("Load = %v, want no error", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("Load = %v\nwant %s", err, tc.want)
			case tc.want != "" && fault.KindOf(err) != fault.Invalid:
				t.Errorf("kind is %v, want invalid", fault.KindOf(err))
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("Load = %v, which shows the password", err)
			}
		})
	}
}

func TestHomeOfEachSystem(t *testing.T) {
	for _, tc := range []struct {
		name, goos, userHome string
		env                  env
		want                 string // "" for an error
	}{
		{"unix", "linux", "u", nil, "u/.local/share/sidestick"},
		{"unix looks at no Windows variable", "darwin", "u", env{"LOCALAPPDATA": "l"}, "u/.local/share/sidestick"},
		{"windows", "windows", "u", env{"LOCALAPPDATA": "l"}, "l/sidestick"},
		{"windows without its variable", "windows", "u", nil, "u/AppData/Local/sidestick"},
		{"no home at all", "linux", "", nil, ""},
		{"no home but a variable", "linux", "", env{"SIDESTICK_HOME": "s"}, "s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := home(tc.env.get, tc.goos, tc.userHome)
			if got.Value != filepath.FromSlash(tc.want) || (err == nil) != (tc.want != "") {
				t.Errorf("home = %q, %v; want %q", got.Value, err, tc.want)
			}
		})
	}
}

func TestTheSandboxIsAFlagOrAVariable(t *testing.T) {
	for _, tc := range []struct {
		flags Flags
		value string
		want  Setting[string]
	}{
		{Flags{}, "off", Setting[string]{"off", "env SIDESTICK_SANDBOX"}},
		{Flags{Sandbox: "workspace-write"}, "off", Setting[string]{"workspace-write", "flag --sandbox"}},
		{Flags{NoSandbox: true}, "on", Setting[string]{"off", "flag --no-sandbox"}},
	} {
		if got := load(t, tc.flags, env{"SIDESTICK_SANDBOX": tc.value}).Sandbox; got != tc.want {
			t.Errorf("%+v and %q: %+v, want %+v", tc.flags, tc.value, got, tc.want)
		}
	}
}
