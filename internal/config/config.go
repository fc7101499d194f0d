// Package config turns flags, environment and settings files into one value that remembers
// where each setting came from.
//
// [Load] reads them once, at the start; no other package reads a setting of Sidestick from the
// environment. The first source that has a value wins. An empty or blank variable counts
// as not set, and space around a value is dropped. Settings files come after the variables: that
// of the project, as far as it may set something, and then the user's own. keytable.go has the
// settings that a file can have, with their names there:
//
//	setting          sources, the first wins                              else
//	Home             $COPILOT_HOME, $SIDESTICK_HOME                       the user's data directory
//	LogLevel         --log-level                                          warning
//	LogDir           --log-dir                                            no file
//	GitHubToken      the variable --auth-token-env names; or              none
//	                 $COPILOT_GITHUB_TOKEN, $GH_TOKEN, $GITHUB_TOKEN,
//	                 unless --no-auto-login
//	AgentToken       the variable --token-env names; or                   none
//	                 $SIDESTICK_AGENT_TOKEN
//	GitHubAPI        $COPILOT_DEBUG_GITHUB_API_URL                        https://api.github.com
//	CopilotAPI       $COPILOT_API_URL                                     none
//	ConnectionToken  $COPILOT_CONNECTION_TOKEN                            none
//	BaseURL          $SIDESTICK_BASE_URL, $OPENAI_BASE_URL,               none, or with an APIKey
//	                 $OPENAI_API_BASE                                     https://api.openai.com/v1
//	APIKey           $SIDESTICK_API_KEY, $OPENAI_API_KEY                  none
//	Model            --model, $SIDESTICK_MODEL, $OPENAI_MODEL             none
//	Fallback         --fallback, $SIDESTICK_FALLBACK                      none
//	ToolSet          --tool-set, $SIDESTICK_TOOL_SET                      auto
//	Effort           --effort                                             that of the model
//	Budget           --max-turns, --max-tokens, --timeout                 no limits
//	Terminal         files; $NO_COLOR, $VISUAL, $EDITOR                   see terminal.go
//	Vendors          $OPENAI_API_KEY, $ANTHROPIC_API_KEY and so on         none
//	Clouds           $AZURE_OPENAI_API_VERSION, $AWS_REGION and so on      none
//	RetryFor         $SIDESTICK_RETRY_FOR                                 2m0s
//	Silence          $SIDESTICK_MODEL_SILENCE                             60m for servers on this
//	                                                                      machine, 5m for others
//	RepeatedAnswers  $SIDESTICK_REPEATED_ANSWERS, "stop" or "off"         stop
//	ToolSearch       $SIDESTICK_TOOL_SEARCH                               auto
//	RepeatedCalls    $SIDESTICK_REPEATED_CALLS, "stop" or "off"           stop
//	ClaudeInstructions
//	                 $SIDESTICK_CLAUDE_INSTRUCTIONS, "on" or "off"        on
//	InstructionDirs  $COPILOT_CUSTOM_INSTRUCTIONS_DIRS                    none
//	CAFile           $SIDESTICK_CA_FILE                                   none
//	NodeCAFile       $NODE_EXTRA_CA_CERTS                                 none
//	ClientCert       $SIDESTICK_CLIENT_CERT                               none
//	ClientKey        $SIDESTICK_CLIENT_KEY                                none
//	Keyring          $SIDESTICK_KEYRING, "on" or "off"                    true
//	LocalServers     $SIDESTICK_LOCAL_SERVERS                             the usual ports
//	Durability       --durability, $SIDESTICK_DURABILITY                  turn
//	IdleTimeout      --session-idle-timeout, in seconds                   10 minutes
//	Host             --host                                               127.0.0.1
//	Port             --port                                               0: any free port
//	Answers          --max-answers, $SIDESTICK_MAX_ANSWERS                32
//	Subagents        $SIDESTICK_SUBAGENT_DEPTH, ..._MAX_SUBAGENTS,        3, 16, 200, none
//	                 ..._SUBAGENTS_PER_MESSAGE, ..._AGENT_MODELS
//	AllowAll         --yolo, --allow-all, --allow-all-tools               false
//	AllowTools       --allow-tool, any number of times                    none
//	DenyTools        --deny-tool, the same                                none
//	AllPaths         --allow-all-paths                                    false
//	Folders          --add-dir, any number of times                       none
//	Protected        --protect, any number of times                       none
//	Sandbox          --sandbox, --no-sandbox, $SIDESTICK_SANDBOX          what the command chooses
//	SandboxAutoAllow --sandbox-auto-allow                                 false
//	SandboxExclude   --sandbox-exclude, any number of times               none
//	SandboxRequired  --sandbox-required                                   false
//	TraceFile        $COPILOT_OTEL_FILE_EXPORTER_PATH                     none
//	TraceSource      $COPILOT_OTEL_SOURCE_NAME                            sidestick
//	TraceContent     $OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT, false
//	                 "true"
//	TraceElsewhere   $COPILOT_OTEL_EXPORTER_TYPE but "file",              none
//	                 $OTEL_EXPORTER_OTLP_ENDPOINT with
//	                 $COPILOT_OTEL_ENABLED
//	WebSockets       $COPILOT_CLI_DISABLE_WEBSOCKET_RESPONSES, "true" or  true
//	                 "1", switches them off
//	ShowKeys         $COPILOT_ALLOW_GET_PROVIDER_ENDPOINT, "true" or "1"  false
//	Tape.Record      --record, $SIDESTICK_RECORD                          none
//	Tape.Replay      --replay, $SIDESTICK_REPLAY                          none
//	Tape.Tools       --replay-tools, $SIDESTICK_REPLAY_TOOLS, "true"      false
//
// $SIDESTICK_DUMPABLE is read by [Dumpable], before everything else.
//
// The user's data directory is ~/.local/share/sidestick, on Windows
// %LOCALAPPDATA%\sidestick.
//
// A session may bring a provider of its own, which takes precedence and is not read here;
// [Config.Provider] is for sessions that bring none.
//
// Secrets have a type that does not print, [Secret].
//
// Package settings finds, reads and changes the files.
//
// # To change something
//
// A new setting is a field, and a row of the table above, in config.go, and a row in keytable.go if
// files can have it. It is read in load.go or subagents.go, and listed in describe.go and in docs/settings.md. Package wiring passes it on to
// the package that acts on it.
//
// A new setting of the terminal interface is a field in terminal.go (Terminal), which reads it, too, and a row in
// keytable.go (terminalKeys), from which a test writes the tables of docs/settings.md and docs/terminal.md. app/front/front.go
// (options) passes it on to the interface, in tui/options.go (Options). describe.go leaves it out, and package wiring has nothing to do with it.
package config

import "time"

// Setting is a value and where it came from.
type Setting[T any] struct {
	// Value is the zero T if the setting has no source and no default.
	Value T
	// From is the source as the user knows it: "flag --port",
	// "env OPENAI_BASE_URL", [Default], or [Unset].
	From string
}

// The sources that are neither a flag nor a variable.
const (
	Default = "default" // no source has a value; this is the default
	Unset   = "not set" // no source has a value, and there is no default
)

// Config is every setting of a process. It is a value: nothing changes it after
// [Load]. The table in the package comment says where each field comes from.
type Config struct {
	// Home is the directory of all state. It may not exist yet, and may be relative to
	// the working directory.
	Home Setting[string]
	// LogLevel is one of obs.Levels. Package obs checks it.
	LogLevel Setting[string]
	// LogDir is the directory for a log file; "" logs to stderr.
	LogDir Setting[string]

	// GitHubToken is sent only to GitHubAPI and CopilotAPI.
	GitHubToken Setting[Secret]
	// AgentToken is the GitHub token that is sent to the agent that Model names, and
	// nowhere else; "" sends none.
	AgentToken Setting[Secret]
	// GitHubAPI is the base of GitHub's own API, without a slash at the end,
	// as every URL here.
	GitHubAPI Setting[string]
	// CopilotAPI is the base of the Copilot model API; "" is that of the account.
	CopilotAPI Setting[string]
	// ConnectionToken is what a client must send in "connect"; "" requires none.
	ConnectionToken Setting[Secret]

	// BaseURL is the base of an OpenAI-compatible API, up to and with "/v1".
	BaseURL Setting[string]
	// APIKey is sent to BaseURL; "" where the server wants none.
	APIKey Setting[Secret]
	// Model is the model of sessions and runs that name none; "" if none.
	Model Setting[string]
	// Fallback are the models that take over when that of a session cannot be called, separated by
	// commas; "" if none. FallbackModels has them as a list.
	Fallback Setting[string]
	// ToolSearch says from how many on tools of MCP servers and clients are deferred: "auto", "off" or a number.
	ToolSearch Setting[string]
	// ToolSet says which built-in tools the model is offered: "auto", "small" or "full".
	ToolSet Setting[string]
	// RetryFor is for how long a failed call of a model is tried again; [Config.RetryTotal] reads it.
	RetryFor Setting[string]
	// Silence is the longest silence that is accepted of a model's server, "" for the usual one;
	// [Config.LongestSilence] reads it.
	Silence Setting[string]
	// RepeatedAnswers is what is done with an answer that repeats itself: "stop", or "off" for nothing.
	RepeatedAnswers Setting[string]
	// RepeatedCalls is what is done when the model makes the same tool calls with the same results in a row: "stop" to
	// tell it, then to ask the user or end the run, or "off" for nothing.
	RepeatedCalls Setting[string]
	// ClaudeInstructions says whether the user's instructions for Claude Code are read: "on" or "off".
	// InstructionDirs are further folders of instructions, separated by commas.
	ClaudeInstructions, InstructionDirs Setting[string]

	// Effort is how much the model reasons in new sessions, one of [Efforts]; "" if that is left to
	// the model.
	Effort Setting[string]
	// Budget are the limits of runs at a terminal.
	Budget Budget
	// Terminal are the settings of the terminal interface.
	Terminal Terminal
	// Refused says what of the project's settings file has no effect, and why, in words for the
	// user: one line each, without a full stop.
	Refused []string

	// CAFile is a file of certificates that are trusted in addition to those of the system, for
	// calls to models, and NodeCAFile the same, as programs on Node read it. ClientCert and
	// ClientKey are files with the certificate with which this program identifies itself.
	CAFile, NodeCAFile, ClientCert, ClientKey Setting[string]
	// Keyring says whether the keyring of the operating system may be used.
	Keyring Setting[bool]
	// Vendors are the keys and addresses of the providers that a model can name, by the name of
	// the provider; nil if there are none.
	Vendors map[string]VendorSettings
	// Clouds are the settings that only some of these providers have.
	Clouds Clouds

	// LocalServers are the servers of models on this machine that are looked for: their base URLs,
	// separated by commas, or [LocalOff]; "" is those at the usual ports.
	LocalServers Setting[string]

	// Durability is what survives a power failure: "turn", messages of the user and
	// events before and after acts; "always", every event; "os", what the operating
	// system has written by itself, up to some 30 seconds late. A killed process loses
	// nothing in any case. Which events "turn" means is in wire/kinds.go.
	Durability Setting[string]
	// IdleTimeout is how long a session may be unused before its conversation is
	// released from memory, always above 0.
	IdleTimeout Setting[time.Duration]
	// Host is the address to listen on, a name or an IP without brackets.
	Host Setting[string]
	// Port is the TCP port, 0 to 65535; 0 is any free one.
	Port Setting[int]
	// Answers is how many requests `serve --extension` answers at the same time, 1 to 10,000.
	Answers Setting[int]
	// Subagents are the settings for sub-agents.
	Subagents Subagents
	// AllowAll approves every permission request that no rule denies.
	AllowAll Setting[bool]
	// AllowTools and DenyTools are rules in the form of permit.ParseRule, which checks
	// them.
	AllowTools, DenyTools Setting[[]string]
	// AllPaths makes rules reach files outside of the allowed folders.
	AllPaths Setting[bool]
	// Protected are names of files from which programs start something by themselves, in the
	// form of permit.ParseProtected, which checks them.
	Protected Setting[[]string]
	// Folders are treated like the working directory. They may be relative to it.
	Folders Setting[[]string]
	// Sandbox says whether commands run in a sandbox: "on", "off", "read-only" or
	// "workspace-write"; "" if nothing says so.
	Sandbox Setting[string]
	// SandboxAutoAllow allows what stays in the sandbox without asking. SandboxRequired
	// denies commands for which there is no sandbox.
	SandboxAutoAllow, SandboxRequired Setting[bool]
	// TraceFile is the file that spans are written to, "" for none, under the name TraceSource.
	// TraceContent writes messages, arguments and results, too.
	TraceFile, TraceSource Setting[string]
	TraceContent           Setting[bool]
	// TraceElsewhere is where spans are to be sent other than into a file, which this program
	// does not do; "" if nowhere.
	TraceElsewhere Setting[string]
	// WebSockets has models called over a WebSocket that the Copilot API lists with one.
	WebSockets Setting[bool]
	// ShowKeys lets SDK programs read the credentials of a session's provider.
	ShowKeys Setting[bool]
	// Tape are the settings for recordings.
	Tape Tape
	// SandboxExclude are rules, as AllowTools, for commands that run outside.
	SandboxExclude Setting[[]string]
}

// Flags is the values of the command line. The zero value of a field is "not given".
type Flags struct {
	LogLevel      string        // --log-level
	LogDir        string        // --log-dir
	AuthTokenEnv  string        // --auth-token-env: the name of a variable
	AgentTokenEnv string        // --token-env: the same
	NoAutoLogin   bool          // --no-auto-login
	Model         string        // --model
	Fallback      string        // --fallback
	ToolSet       string        // --tool-set
	Effort        string        // --effort
	MaxTurns      int           // --max-turns
	MaxTokens     int           // --max-tokens
	Timeout       time.Duration // --timeout of a run
	Durability    string        // --durability
	IdleSeconds   int           // --session-idle-timeout
	Host          string        // --host
	Port          int           // --port
	Answers       string        // --max-answers: a number, still as text, so that 0 is not taken for none
	AllowAll      bool          // --yolo
	AllowTools    []string      // --allow-tool
	DenyTools     []string      // --deny-tool
	AllPaths      bool          // --allow-all-paths
	Folders       []string      // --add-dir
	Protected     []string      // --protect
	Sandbox       string        // --sandbox: "read-only" or "workspace-write"
	NoSandbox     bool          // --no-sandbox
	AutoAllow     bool          // --sandbox-auto-allow
	Exclude       []string      // --sandbox-exclude
	Required      bool          // --sandbox-required
	Tape          TapeFlags
	// Guarded says that the caller has its own rule for a Host that others can reach
	// and no ConnectionToken; see [Config.Loopback].
	Guarded bool
	// Server says that the command serves programs, and no person at a terminal; see
	// [Key.PeopleOnly].
	Server bool
	// Given reports whether a flag was given, by its name without dashes, so that a zero value
	// overrides a file; nil: those are that are not zero.
	Given func(flag string) bool
}
