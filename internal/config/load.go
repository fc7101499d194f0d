package config

import (
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// The default addresses of models, if there is an API key, and of GitHub.
const (
	openAIBase = "https://api.openai.com/v1"
	gitHubBase = "https://api.github.com"
)

// The sources of secrets; the first with a value wins.
func connectionTokens(env environment) []Setting[string] {
	return []Setting[string]{env.get("COPILOT_CONNECTION_TOKEN")}
}

func apiKeys(env environment) []Setting[string] {
	return []Setting[string]{env.get("SIDESTICK_API_KEY"), env.get("OPENAI_API_KEY")}
}

func gitHubTokens(env environment) []Setting[string] {
	return []Setting[string]{env.get("COPILOT_GITHUB_TOKEN"), env.get("GH_TOKEN"), env.get("GITHUB_TOKEN")}
}

func agentTokens(env environment) []Setting[string] {
	return []Setting[string]{env.get("SIDESTICK_AGENT_TOKEN")}
}

// Variable is a variable of the environment.
type Variable struct {
	Name  string
	Value Secret
}

// SecretVariables returns the variables that hold secrets of this program, if they are set,
// whether or not another one has won.
func SecretVariables(flags Flags, getenv func(string) string) (all []Variable) {
	env := environment(getenv)
	sources := slices.Concat(connectionTokens(env), apiKeys(env), vendorKeys(env), gitHubTokens(env), agentTokens(env))
	for _, name := range []string{flags.AuthTokenEnv, flags.AgentTokenEnv} {
		if name != "" {
			sources = append(sources, env.get(name))
		}
	}
	for _, s := range sources {
		all = append(all, Variable{strings.TrimPrefix(s.From, "env "), Secret(s.Value)})
	}
	return all
}

// Dumpable reports whether other processes of the user may look into this one, as debuggers
// do. It is read before all other settings. [Load] refuses values other than 0 and 1.
func Dumpable(getenv func(string) string) bool {
	return environment(getenv).get("SIDESTICK_DUMPABLE").Value == "1"
}

// Load reads every setting and checks it.
//
// getenv is [os.Getenv] or a test's own; userHome is the user's home directory,
// "" if there is none; files are settings files, that of the project first. Load reads nothing else,
// and creates nothing. [Config.Refused] says what of a project's file has no effect.
//
// An error is [fault.Invalid]. It is about the first setting that is wrong, names its
// source, and holds no secret. The Config is then good for [Config.Describe] only.
func Load(flags Flags, getenv func(string) string, userHome string, files ...File) (Config, error) {
	env := environment(getenv)
	g := given{flags: flags, env: env}
	var refused []string
	g.files, refused = settle(files, flags.Server)
	if g.hasProject() {
		mine := g.withoutProject().gather()
		mine.GitHubToken, _ = gitHubToken(flags, env) // an error is reported below
		refused = append(refused, g.checkModels(mine)...)
	}
	cfg := g.gather()
	cfg.Refused = refused
	var err error
	if cfg.Home, err = home(env, runtime.GOOS, userHome); err != nil {
		return Config{}, err
	}
	if cfg.GitHubToken, err = gitHubToken(flags, env); err != nil {
		return Config{}, err
	}
	if cfg.AgentToken, err = agentToken(flags, env); err != nil {
		return Config{}, err
	}
	if cfg.Answers, err = answers(flags, env); err != nil {
		return Config{}, err
	}
	if cfg.Subagents, err = g.subagents(); err != nil {
		return cfg, err
	}
	if d := env.get("SIDESTICK_DUMPABLE"); d.Value != "" && d.Value != "0" && d.Value != "1" {
		return cfg, invalid(d.From, "1 allows debuggers and core dumps; 0, the default, does not", "%q is neither 0 nor 1", d.Value)
	}
	if k := env.get("SIDESTICK_KEYRING"); k.Value != "" && k.Value != "on" && k.Value != "off" {
		return cfg, invalid(k.From, "on, the default, or off", "%q is neither on nor off", k.Value)
	}
	if err := checkProxies(env); err != nil {
		return cfg, err
	}
	if flags.NoSandbox && (flags.Sandbox != "" || flags.AutoAllow || flags.Required) {
		return cfg, invalid("flag --no-sandbox", "give one of them", "it contradicts the other flags of the sandbox")
	}
	cfg.Tape = tapeOf(flags.Tape, env)
	if err := cfg.Tape.check(env); err != nil {
		return cfg, err
	}
	return cfg, cfg.check(flags.Guarded)
}

// idleTimeout is long enough that a user who reads an answer does not notice, and short
// enough that a server does not hold the sessions of the last hours.
const idleTimeout = 10 * time.Minute

// gather takes each setting from its first source, except those that can fail.
func (g given) gather() Config {
	flags, env := g.flags, g.env
	cfg := Config{
		LogLevel:        or(g.text("log.level", flags.LogLevel), "warning"),
		LogDir:          g.text("log.dir", flags.LogDir),
		GitHubAPI:       first(env.get("COPILOT_DEBUG_GITHUB_API_URL"), fallback(gitHubBase)),
		CopilotAPI:      first(env.get("COPILOT_API_URL")),
		ConnectionToken: secret(connectionTokens(env)...),
		BaseURL:         g.text("baseUrl", ""),
		APIKey:          secret(apiKeys(env)...),
		Model:           g.text("model", flags.Model),
		Fallback:        g.text("fallback", flags.Fallback),
		Effort:          g.text("effort", flags.Effort),
		Budget:          g.budget(),
		ToolSet:         or(g.text("toolSet", flags.ToolSet), ToolSetAuto),
		ToolSearch:      or(g.text("toolSearch", ""), ToolSearchAuto),
		RetryFor:        or(g.text("network.retryFor", ""), "2m0s"),
		Silence:         g.text("network.silence", ""),
		RepeatedAnswers: or(g.text("repeatedAnswers", ""), "stop"),
		RepeatedCalls:   or(g.text("repeatedCalls", ""), "stop"),

		ClaudeInstructions: or(g.text("claudeInstructions", ""), "on"), InstructionDirs: first(env.get("COPILOT_CUSTOM_INSTRUCTIONS_DIRS")),
		CAFile:      g.text("network.caFile", ""),
		NodeCAFile:  first(env.get("NODE_EXTRA_CA_CERTS")),
		ClientCert:  g.text("network.clientCert", ""),
		ClientKey:   g.text("network.clientKey", ""),
		Durability:  or(g.text("durability", flags.Durability), "turn"),
		IdleTimeout: first(flag("--session-idle-timeout", seconds(flags.IdleSeconds)), fallback(idleTimeout)),
		Host:        first(flag("--host", flags.Host), fallback("127.0.0.1")),
		Port:        first(flag("--port", flags.Port), fallback(0)),
		AllowAll:    g.on("permissions.allowAll", flags.AllowAll, false),
		AllowTools:  g.list("permissions.allow", flags.AllowTools),
		DenyTools:   g.list("permissions.deny", flags.DenyTools),
		AllPaths:    g.on("permissions.allPaths", flags.AllPaths, false),
		Folders:     g.list("permissions.folders", flags.Folders),
		Protected:   g.list("permissions.protect", flags.Protected),
		Sandbox:     g.text("sandbox.mode", flags.Sandbox),

		SandboxAutoAllow: g.on("sandbox.autoAllow", flags.AutoAllow, false),
		SandboxExclude:   g.list("sandbox.exclude", flags.Exclude),
		SandboxRequired:  g.on("sandbox.required", flags.Required, false),
		Terminal:         g.terminal(),
	}
	g.gatherMore(&cfg)
	return cfg
}

// gatherMore takes the settings that need more than their first source.
func (g given) gatherMore(cfg *Config) {
	flags, env := g.flags, g.env
	cfg.Vendors, cfg.Clouds = g.vendors(), g.clouds()
	cfg.Keyring = g.on("keyring", false, true)
	if k := env.get("SIDESTICK_KEYRING"); k.Value != "" {
		cfg.Keyring = Setting[bool]{k.Value == "on", k.From}
	}
	cfg.LocalServers = g.text("providers.local", "")
	cfg.TraceFile, cfg.TraceElsewhere = traces(env)
	cfg.TraceSource = first(env.get("COPILOT_OTEL_SOURCE_NAME"), fallback("sidestick"))
	cfg.TraceContent = Setting[bool]{false, Default}
	if v := env.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"); v.Value == "true" {
		cfg.TraceContent = Setting[bool]{true, v.From}
	}
	if v := first(env.get("COPILOT_ALLOW_GET_PROVIDER_ENDPOINT"), fallback("")); v.Value == "true" || v.Value == "1" {
		cfg.ShowKeys = Setting[bool]{true, v.From}
	} else {
		cfg.ShowKeys = Setting[bool]{false, v.From}
	}
	cfg.WebSockets = Setting[bool]{true, Default}
	if v := env.get("COPILOT_CLI_DISABLE_WEBSOCKET_RESPONSES"); v.Value == "true" || v.Value == "1" {
		cfg.WebSockets = Setting[bool]{false, v.From}
	}
	if flags.NoSandbox {
		cfg.Sandbox = flag("--no-sandbox", "off")
		cfg.SandboxRequired = fallback(false) // the flag contradicts what a file says, and comes before it
	}
	if cfg.BaseURL.Value == "" && cfg.APIKey.Value != "" {
		cfg.BaseURL = fallback(openAIBase)
	}
}

// HomeOf returns the directory of all state, as [Config.Home] has it.
func HomeOf(getenv func(string) string, userHome string) (string, error) {
	s, err := home(getenv, runtime.GOOS, userHome)
	return s.Value, err
}

// home is the only setting whose default depends on the operating system.
func home(env environment, goos, userHome string) (Setting[string], error) {
	if given := first(env.get("COPILOT_HOME"), env.get("SIDESTICK_HOME")); given.Value != "" {
		return given, nil
	}
	if local := env.get("LOCALAPPDATA").Value; goos == "windows" && local != "" {
		return fallback(filepath.Join(local, "sidestick")), nil
	}
	if userHome == "" {
		return Setting[string]{}, invalid("home", "set SIDESTICK_HOME to a directory",
			"there is no home directory to keep sessions in")
	}
	if goos == "windows" {
		return fallback(filepath.Join(userHome, "AppData", "Local", "sidestick")), nil
	}
	return fallback(filepath.Join(userHome, ".local", "share", "sidestick")), nil
}

// gitHubToken is the variable that --auth-token-env names, or the usual ones.
func gitHubToken(flags Flags, env environment) (Setting[Secret], error) {
	switch {
	case flags.AuthTokenEnv != "":
		return namedToken("flag --auth-token-env", flags.AuthTokenEnv, env)
	case flags.NoAutoLogin:
		return Setting[Secret]{From: Unset}, nil
	}
	return secret(gitHubTokens(env)...), nil
}

// agentToken is never one of the usual variables: an agent is a program of someone else,
// and gets only a token that is meant for it.
func agentToken(flags Flags, env environment) (Setting[Secret], error) {
	if flags.AgentTokenEnv != "" {
		return namedToken("flag --token-env", flags.AgentTokenEnv, env)
	}
	return secret(agentTokens(env)...), nil
}

// namedToken is the token in a variable that a flag names. It must have a value: another
// token would act for another account.
func namedToken(flag, variable string, env environment) (Setting[Secret], error) {
	token := secret(env.get(variable))
	if token.Value == "" {
		return token, invalid(flag, "set it to a GitHub token, or leave the flag out",
			"the environment variable %s is empty or not set", variable)
	}
	token.From += " (" + flag + ")"
	return token, nil
}

// answersAtOnce is the default: enough for a team, few enough for one machine's model.
// maxAnswers bounds the setting, because each answer is a run with processes of its own.
const (
	answersAtOnce = 32
	maxAnswers    = 10_000
)

// answers is a number that may also come from the environment.
func answers(flags Flags, env environment) (Setting[int], error) {
	given := first(flag("--max-answers", flags.Answers), env.get("SIDESTICK_MAX_ANSWERS"))
	if given.Value == "" {
		return fallback(answersAtOnce), nil
	}
	n, err := strconv.Atoi(given.Value)
	if err != nil || n < 1 || n > maxAnswers {
		return Setting[int]{}, invalid(given.From, "give the largest number of answers under way at once, for example 32",
			"%q is not a number from 1 to 10000", given.Value)
	}
	return Setting[int]{Value: n, From: given.From}, nil
}

// environment looks a variable up, "" for none.
type environment func(name string) string

func (e environment) get(name string) Setting[string] {
	return Setting[string]{Value: strings.TrimSpace(e(name)), From: "env " + name}
}

func flag[T any](name string, value T) Setting[T] {
	return Setting[T]{Value: value, From: "flag " + name}
}

// list is a flag that may be given more than once.
func list(name string, values []string) Setting[[]string] {
	if len(values) == 0 {
		return Setting[[]string]{From: Unset}
	}
	return flag(name, values)
}

func fallback[T any](value T) Setting[T] {
	return Setting[T]{Value: value, From: Default}
}

// first returns the first source with a value, or the default, or [Unset].
func first[T comparable](sources ...Setting[T]) Setting[T] {
	var none T
	for _, s := range sources {
		if s.Value != none || s.From == Default {
			return s
		}
	}
	return Setting[T]{From: Unset}
}

func secret(sources ...Setting[string]) Setting[Secret] {
	s := first(sources...)
	return Setting[Secret]{Value: Secret(s.Value), From: s.From}
}

func invalid(origin, hint, format string, args ...any) error {
	err := fault.New(fault.Invalid, "config.Load", origin, format, args...)
	err.Hint = hint
	return err
}

// traces returns the file that spans are written to, and where else they are to be sent.
func traces(env environment) (file, elsewhere Setting[string]) {
	kind := env.get("COPILOT_OTEL_EXPORTER_TYPE")
	file = first(env.get("COPILOT_OTEL_FILE_EXPORTER_PATH"))
	switch {
	case kind.Value != "" && kind.Value != "file":
		return Setting[string]{"", Unset}, kind
	case file.Value == "" && env.get("COPILOT_OTEL_ENABLED").Value == "true":
		return file, first(env.get("OTEL_EXPORTER_OTLP_ENDPOINT"))
	}
	return file, Setting[string]{"", Unset}
}
