package config

import "strings"

// Why the file of a project may not have a setting.
const (
	leads  = "it could send your conversations and keys to another server"
	grants = "it would grant permissions"
	runs   = "it would run a program"
	hides  = "it could hide what happens"
	yours  = "it is about you and your machine, not about the project"
)

// keyTable is every setting that a settings file can have.
func keyTable() []Key {
	all := []Key{
		{Name: "model", Kind: Text, Flags: []string{"--model"}, Variables: []string{"SIDESTICK_MODEL", "OPENAI_MODEL"}, Project: Trusted, Help: "the model of runs and sessions that name none", of: textOf(func(c *Config) *Setting[string] { return &c.Model })},
		{Name: "fallback", Kind: List, Flags: []string{"--fallback"}, Variables: []string{"SIDESTICK_FALLBACK"}, Project: Trusted, Help: "models that take over, in this order, when that of a run cannot be called", of: joinedOf(func(c *Config) *Setting[string] { return &c.Fallback })},
		{Name: "baseUrl", Kind: Text, Variables: []string{"SIDESTICK_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE"}, Why: leads, Help: "the OpenAI-compatible server, up to and including /v1", of: textOf(func(c *Config) *Setting[string] { return &c.BaseURL })},
		{Name: "toolSet", Kind: Word, Values: toolSets(), Flags: []string{"--tool-set"}, Variables: []string{"SIDESTICK_TOOL_SET"}, Project: Trusted, Default: ToolSetAuto, Help: "which built-in tools the model is offered: the `small` set, with short texts, all of them (`full`), or `auto`: the small set if the window of the model is known and below 32,768 tokens", of: textOf(func(c *Config) *Setting[string] { return &c.ToolSet })},
		{Name: "toolSearch", Kind: Text, Variables: []string{"SIDESTICK_TOOL_SEARCH"}, Project: Trusted, Default: ToolSearchAuto, Help: "above how many tools of MCP servers and clients these are [deferred](tools.md#more-tools-than-a-model-should-get) until the model searches for them: a number, `off`, or `auto`: 30, or a tenth of the window", of: textOf(func(c *Config) *Setting[string] { return &c.ToolSearch })},
		{Name: "effort", Kind: Word, Values: Efforts(), Flags: []string{"--effort"}, Project: Trusted, PeopleOnly: true, Help: "how much the model reasons before it answers, in new sessions", of: textOf(func(c *Config) *Setting[string] { return &c.Effort })},
	}
	all = append(all, providerKeys()...)
	all = append(all, permissionKeys()...)
	all = append(all, limitKeys()...)
	all = append(all, terminalKeys()...)
	return append(all, machineKeys()...)
}

// providerKeys are the settings of single providers, and of calls to all.
func providerKeys() (all []Key) {
	for _, v := range vendors() {
		if len(v.addressVariables) == 0 {
			continue
		}
		all = append(all, Key{
			Name: addressKey(v.name), Kind: Text, Variables: v.addressVariables, Why: leads, Help: "the address of this provider", Default: "its public address",
			of: func(c *Config) (any, string) {
				s := c.Vendors[v.name].BaseURL
				if s.Value == "" {
					s.From = Unset
				}
				return shown(ShowURL(s.Value)), s.From
			},
		})
	}
	return append(
		all,
		Key{Name: "providers.azure.apiVersion", Kind: Text, Variables: []string{"AZURE_OPENAI_API_VERSION"}, Why: leads, Help: "the version of Azure's API", of: cloudOf(func(c *Clouds) *Setting[string] { return &c.AzureVersion })},
		Key{Name: "providers.bedrock.region", Kind: Text, Variables: []string{"AWS_REGION", "AWS_DEFAULT_REGION"}, Why: leads, Help: "the region of AWS in which `bedrock` is called", of: cloudOf(func(c *Clouds) *Setting[string] { return &c.AWSRegion })},
		Key{Name: "providers.ollama.contextLength", Kind: Number, Min: minWindow, Max: maxWindow, Variables: []string{"OLLAMA_CONTEXT_LENGTH"}, Default: "65536", Why: yours, Help: "the context window that Ollama is asked for, in tokens", of: cloudOf(func(c *Clouds) *Setting[string] { return &c.OllamaWindow })},
		Key{Name: "providers.local", Kind: List, Variables: []string{"SIDESTICK_LOCAL_SERVERS"}, Default: "the usual ports", Why: leads, Help: "where to look for servers of models on this machine: base URLs, or `off` alone", of: joinedOf(func(c *Config) *Setting[string] { return &c.LocalServers })},
		Key{Name: "network.retryFor", Kind: Time, Variables: []string{"SIDESTICK_RETRY_FOR"}, Default: "2m0s", Why: yours, Help: "for how long a failed call of a model is tried again, from its first failure, at most 24h; 0s: not at all", of: textOf(func(c *Config) *Setting[string] { return &c.RetryFor })},
		Key{Name: "network.silence", Kind: Time, Variables: []string{"SIDESTICK_MODEL_SILENCE"}, Default: "60m for servers on this machine, 5m for others", Why: yours, Help: "the longest silence of a model's server before the first piece of an answer, between two pieces, and while it loads the model, 1s to 24h", of: textOf(func(c *Config) *Setting[string] { return &c.Silence })},
		Key{Name: "repeatedAnswers", Kind: Word, Values: repeatings(), Variables: []string{"SIDESTICK_REPEATED_ANSWERS"}, Default: "stop", Why: yours, Help: "what is done with an answer of a model that repeats itself: `stop` ends the answer, keeps it up to the end of the first copy, and tells the model; the second such answer of a run ends the run; `off` does nothing", of: textOf(func(c *Config) *Setting[string] { return &c.RepeatedAnswers })},
		Key{Name: "repeatedCalls", Kind: Word, Values: repeatings(), Variables: []string{"SIDESTICK_REPEATED_CALLS"}, Default: "stop", Why: yours, Help: "what is done when a model makes the same tool calls with the same results in a row: `stop` tells it, then asks you or ends the run; `off` does nothing", of: textOf(func(c *Config) *Setting[string] { return &c.RepeatedCalls })},
		Key{Name: "network.caFile", Kind: Text, Path: true, Variables: []string{"SIDESTICK_CA_FILE"}, Why: leads, Help: "certificates that calls to models trust in addition to those of the system", of: textOf(func(c *Config) *Setting[string] { return &c.CAFile })},
		Key{Name: "network.clientCert", Kind: Text, Path: true, Variables: []string{"SIDESTICK_CLIENT_CERT"}, Why: leads, Help: "the client certificate for servers of models that ask for one", of: textOf(func(c *Config) *Setting[string] { return &c.ClientCert })},
		Key{Name: "network.clientKey", Kind: Text, Path: true, Variables: []string{"SIDESTICK_CLIENT_KEY"}, Why: leads, Help: "the private key of that certificate", of: textOf(func(c *Config) *Setting[string] { return &c.ClientKey })},
		Key{Name: "keyring", Kind: Switch, Variables: []string{"SIDESTICK_KEYRING"}, Default: "true", Why: leads, Help: "whether `sidestick keys` may use the keyring of the operating system", of: switchOf(func(c *Config) *Setting[bool] { return &c.Keyring })},
	)
}

// addressKey is the key for the address of a vendor.
func addressKey(vendor string) string { return "providers." + vendor + ".baseUrl" }

// permissionKeys say what tools may do.
func permissionKeys() []Key {
	return []Key{
		{Name: "permissions.allow", Kind: List, Adds: true, PeopleOnly: true, Flags: []string{"--allow-tool"}, Why: grants, Help: "rules for tool calls that need no approval", of: listOf(func(c *Config) *Setting[[]string] { return &c.AllowTools })},
		{Name: "permissions.deny", Kind: List, Adds: true, Flags: []string{"--deny-tool"}, Project: Stricter, Help: "rules for tool calls that are denied, whatever allows them", of: listOf(func(c *Config) *Setting[[]string] { return &c.DenyTools })},
		{Name: "permissions.allowAll", Kind: Switch, PeopleOnly: true, Flags: []string{"--yolo", "--allow-all", "--allow-all-tools"}, Default: "false", Why: grants, Help: "whether every tool call is allowed that no rule denies", of: switchOf(func(c *Config) *Setting[bool] { return &c.AllowAll })},
		{Name: "permissions.allPaths", Kind: Switch, PeopleOnly: true, Flags: []string{"--allow-all-paths"}, Default: "false", Why: grants, Help: "whether every folder counts like the working directory", of: switchOf(func(c *Config) *Setting[bool] { return &c.AllPaths })},
		{Name: "permissions.folders", Kind: List, Path: true, Adds: true, PeopleOnly: true, Flags: []string{"--add-dir"}, Why: grants, Help: "folders that count like the working directory", of: listOf(func(c *Config) *Setting[[]string] { return &c.Folders })},
		{Name: "permissions.protect", Kind: List, Adds: true, Flags: []string{"--protect"}, Project: Stricter, Help: "names of files that are changed only with approval", of: listOf(func(c *Config) *Setting[[]string] { return &c.Protected })},
		{
			Name: "sandbox.mode", Kind: Word, Values: sandboxModes(), PeopleOnly: true, Flags: []string{"--sandbox"}, Variables: []string{"SIDESTICK_SANDBOX"}, Project: Stricter, Default: "on for run and chat", Help: "whether commands run in a sandbox, and in which",
			rank: rankOf("off", "", "on", "workspace-write", "read-only"), of: textOf(func(c *Config) *Setting[string] { return &c.Sandbox }),
		},
		{Name: "sandbox.autoAllow", Kind: Switch, PeopleOnly: true, Flags: []string{"--sandbox-auto-allow"}, Default: "false", Why: grants, Help: "whether every command is allowed that, as far as Sidestick can tell, changes nothing outside the sandbox", of: switchOf(func(c *Config) *Setting[bool] { return &c.SandboxAutoAllow })},
		{Name: "sandbox.exclude", Kind: List, Adds: true, PeopleOnly: true, Flags: []string{"--sandbox-exclude"}, Why: grants, Help: "rules for commands that run outside the sandbox", of: listOf(func(c *Config) *Setting[[]string] { return &c.SandboxExclude })},
		{Name: "sandbox.required", Kind: Switch, Flags: []string{"--sandbox-required"}, Project: Stricter, Default: "false", Help: "whether commands are denied for which no sandbox works on this machine", rank: rankOf("false", "true"), unset: "false", of: switchOf(func(c *Config) *Setting[bool] { return &c.SandboxRequired })},
	}
}

// sandboxModes are the words for [Config.Sandbox].
func sandboxModes() []string { return []string{"on", "off", "read-only", "workspace-write"} }

// Efforts are the levels of reasoning of all providers. A model has some of them.
func Efforts() []string {
	return []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// limitKeys bound what runs cost.
func limitKeys() []Key {
	return []Key{
		{Name: "budget.maxTurns", Kind: Number, Max: maxBudget, PeopleOnly: true, Flags: []string{"--max-turns"}, Project: Stricter, Default: "0: no limit", Help: "end a run after this many model calls", rank: lower, of: numberOf(func(c *Config) *Setting[int] { return &c.Budget.Turns })},
		{Name: "budget.maxTokens", Kind: Number, Max: maxBudget, PeopleOnly: true, Flags: []string{"--max-tokens"}, Project: Stricter, Default: "0: no limit", Help: "end a run before it uses more tokens than this, in and out", rank: lower, of: numberOf(func(c *Config) *Setting[int] { return &c.Budget.Tokens })},
		{Name: "budget.timeout", Kind: Time, PeopleOnly: true, Flags: []string{"--timeout"}, Project: Stricter, Default: "0s: no limit", Help: "end a run after this time", rank: lower, of: func(c *Config) (any, string) { return c.Budget.Time.Value.String(), c.Budget.Time.From }},
		{Name: "subagents.depth", Kind: Number, Min: 1, Max: maxSubagents, Variables: []string{"SIDESTICK_SUBAGENT_DEPTH"}, Project: Stricter, Default: "3", Help: "how deep sub-agents may be nested", rank: lower, unset: "3", of: numberOf(func(c *Config) *Setting[int] { return &c.Subagents.Depth })},
		{Name: "subagents.running", Kind: Number, Min: 1, Max: maxSubagents, Variables: []string{"SIDESTICK_MAX_SUBAGENTS"}, Project: Stricter, Default: "16", Help: "how many sub-agents of a session may run at the same time", rank: lower, unset: "16", of: numberOf(func(c *Config) *Setting[int] { return &c.Subagents.Running })},
		{Name: "subagents.perMessage", Kind: Number, Min: 1, Max: maxSubagents, Variables: []string{"SIDESTICK_SUBAGENTS_PER_MESSAGE"}, Project: Stricter, Default: "200", Help: "how many sub-agents may be started until the session is idle again", rank: lower, unset: "200", of: numberOf(func(c *Config) *Setting[int] { return &c.Subagents.Total })},
		{Name: "subagents.models", Kind: List, Variables: []string{"SIDESTICK_AGENT_MODELS"}, Project: Trusted, Help: "models for sub-agents, each as `AGENT=MODEL`", of: joinedOf(func(c *Config) *Setting[string] { return &c.Subagents.Models })},
	}
}

// terminalKeys are the settings of the terminal interface.
func terminalKeys() []Key {
	return []Key{
		{Name: "theme", Kind: Word, Values: []string{"auto", "light", "dark", "mono"}, Why: yours, Default: "auto", Help: "the colours of the terminal; `mono` has none, and `NO_COLOR` overrides it", of: textOf(func(c *Config) *Setting[string] { return &c.Terminal.Theme })},
		{Name: "notifications", Kind: Word, Values: []string{"unfocused", "always", "off"}, Why: hides, Default: "unfocused", Help: "when the terminal shows a notification because a question waits or a run has ended", of: textOf(func(c *Config) *Setting[string] { return &c.Terminal.Notifications })},
		{Name: "bell", Kind: Switch, Why: hides, Default: "true", Help: "whether the terminal's bell rings with a notification", of: switchOf(func(c *Config) *Setting[bool] { return &c.Terminal.Bell })},
		{Name: "reasoning", Kind: Word, Values: []string{"collapsed", "full", "hidden"}, Why: yours, Default: "collapsed", Help: "how the reasoning of the model is shown", of: textOf(func(c *Config) *Setting[string] { return &c.Terminal.Reasoning })},
		{Name: "vim", Kind: Switch, Why: yours, Default: "false", Help: "whether the input box has the keys of vi", of: switchOf(func(c *Config) *Setting[bool] { return &c.Terminal.Vim })},
		{Name: "keys", Kind: Table, Why: yours, Default: "the usual keys", Help: "other keys for actions of the terminal: the name of an action, and a key or a list of keys", of: func(c *Config) (any, string) {
			if c.Terminal.Keys.Value == nil {
				return nil, c.Terminal.Keys.From
			}
			return c.Terminal.Keys.Value, c.Terminal.Keys.From
		}},
		{Name: "editor", Kind: Text, Variables: nil, Why: runs, Default: "`VISUAL`, else `EDITOR`", Help: "the command of the editor", of: textOf(func(c *Config) *Setting[string] { return &c.Terminal.Editor })},
	}
}

// machineKeys are about this machine.
func machineKeys() []Key {
	return []Key{
		{Name: "durability", Kind: Word, Values: durabilities(), Flags: []string{"--durability"}, Variables: []string{"SIDESTICK_DURABILITY"}, Why: yours, Default: "turn", Help: "what survives a power failure", of: textOf(func(c *Config) *Setting[string] { return &c.Durability })},
		{Name: "claudeInstructions", Kind: Word, Values: onOrOff(), Variables: []string{"SIDESTICK_CLAUDE_INSTRUCTIONS"}, Why: yours, Default: "on", Help: "whether your own instructions for Claude Code are read, too: `~/.claude/CLAUDE.md` and `~/.claude/rules`", of: textOf(func(c *Config) *Setting[string] { return &c.ClaudeInstructions })},
		{Name: "log.level", Kind: Word, Values: strings.Fields("none error warning info debug all"), Flags: []string{"--log-level"}, Why: hides, Default: "warning", Help: "how much is logged", of: textOf(func(c *Config) *Setting[string] { return &c.LogLevel })},
		{Name: "log.dir", Kind: Text, Path: true, Flags: []string{"--log-dir"}, Why: hides, Default: "stderr", Help: "the folder for a log file", of: textOf(func(c *Config) *Setting[string] { return &c.LogDir })},
	}
}

// repeatings are the words for [Config.RepeatedAnswers] and [Config.RepeatedCalls].
func repeatings() []string { return []string{"stop", "off"} }

// onOrOff are the words for [Config.ClaudeInstructions].
func onOrOff() []string { return []string{"on", "off"} }

// durabilities are the words for [Config.Durability].
func durabilities() []string { return []string{"turn", "always", "os"} }
