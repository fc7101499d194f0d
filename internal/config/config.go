// Package config turns flags and environment into one value that remembers
// where each setting came from.
//
// [Load] reads, once, at the start; nothing else in the program looks at the
// environment for a setting. The first source that has a value wins, a variable
// that is empty or blank counts as not set, and space around a value is dropped:
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
//	Durability       --durability, $SIDESTICK_DURABILITY                  turn
//	IdleTimeout      --session-idle-timeout, in seconds                   10 minutes
//	Host             --host                                               127.0.0.1
//	Port             --port                                               0: any free port
//	Answers          --max-answers, $SIDESTICK_MAX_ANSWERS                32
//	AllowAll         --yolo, --allow-all, --allow-all-tools               false
//	AllowTools       --allow-tool, any number of times                    none
//	DenyTools        --deny-tool, the same                                none
//	AllPaths         --allow-all-paths                                    false
//	Folders          --add-dir, any number of times                       none
//
// The user's data directory is ~/.local/share/sidestick, on Windows
// %LOCALAPPDATA%\sidestick.
//
// A session may bring a provider of its own, which is not read here and goes
// before all of this; [Config.Provider] is what serves a session that does not.
//
// Secrets have a type, [Secret], that does not print.
package config

import "time"

// Setting is a value and where it came from.
type Setting[T any] struct {
	// Value is the zero T where the setting has no source and no default.
	Value T
	// From is the source in words a person can act on: "flag --port",
	// "env OPENAI_BASE_URL", [Default], or [Unset].
	From string
}

// The sources that are neither a flag nor a variable.
const (
	Default = "default" // nobody said anything; the value is ours
	Unset   = "not set" // nobody said anything; there is no value
)

// Config is every setting of a process. It is a value: nothing changes it after
// [Load]. The table in the package comment says where each field comes from.
type Config struct {
	// Home is the directory of all state. It may not exist yet, and is as it
	// was given, so perhaps relative to the working directory.
	Home Setting[string]
	// LogLevel is one of obs.Levels, which obs checks, not we.
	LogLevel Setting[string]
	// LogDir is the directory for a log file; "" logs to stderr.
	LogDir Setting[string]

	// GitHubToken is sent to GitHubAPI and CopilotAPI, nowhere else.
	GitHubToken Setting[Secret]
	// AgentToken is the GitHub token that is sent to the agent that Model names, and
	// nowhere else; "" sends none.
	AgentToken Setting[Secret]
	// GitHubAPI is the base of GitHub's own API, without a slash at the end,
	// as every URL here.
	GitHubAPI Setting[string]
	// CopilotAPI is the base of the Copilot model API; "" leaves it unused.
	CopilotAPI Setting[string]
	// ConnectionToken is what a client must show in "connect"; "" asks for none.
	ConnectionToken Setting[Secret]

	// BaseURL is the base of an OpenAI-compatible API, up to and with "/v1".
	BaseURL Setting[string]
	// APIKey is sent to BaseURL; "" where the server wants none.
	APIKey Setting[Secret]
	// Model is the model of sessions and runs that name none; "" if none.
	Model Setting[string]

	// Durability is what survives a loss of power: "turn", what a person said and
	// what acts on the world; "always", every event; "os", what the system has
	// written by itself, some 30 seconds late. A process that is killed loses
	// nothing in any case.
	Durability Setting[string]
	// IdleTimeout is how long a session may be unused before it leaves memory,
	// always above 0.
	IdleTimeout Setting[time.Duration]
	// Host is the address to listen on, a name or an IP without brackets.
	Host Setting[string]
	// Port is the TCP port, 0 to 65535; 0 is any free one.
	Port Setting[int]
	// Answers is how many requests `serve --extension` answers at once, 1 to 10,000.
	Answers Setting[int]
	// AllowAll answers every permission request with yes, but for what is denied.
	AllowAll Setting[bool]
	// AllowTools and DenyTools are rules as permit.ParseRule reads them, which
	// checks them, not we.
	AllowTools, DenyTools Setting[[]string]
	// AllPaths lifts the bounds of the folders that rules reach.
	AllPaths Setting[bool]
	// Folders may be worked in beside the working directory, as they were given.
	Folders Setting[[]string]
}

// Flags is what the command line said. A zero field was not given.
type Flags struct {
	LogLevel      string   // --log-level
	LogDir        string   // --log-dir
	AuthTokenEnv  string   // --auth-token-env: the name of a variable
	AgentTokenEnv string   // --token-env: the same
	NoAutoLogin   bool     // --no-auto-login
	Model         string   // --model
	Durability    string   // --durability
	IdleSeconds   int      // --session-idle-timeout
	Host          string   // --host
	Port          int      // --port
	Answers       string   // --max-answers: a number, still as text, so that 0 is not taken for none
	AllowAll      bool     // --yolo
	AllowTools    []string // --allow-tool
	DenyTools     []string // --deny-tool
	AllPaths      bool     // --allow-all-paths
	Folders       []string // --add-dir
	// Guarded says that the caller has its own rule for a Host that others can reach
	// and no ConnectionToken; see [Config.Loopback].
	Guarded bool
}
