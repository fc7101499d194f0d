package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Line is one setting as it is printed.
type Line struct {
	Name  string // "base URL"
	Value string // "" if it has none; of a secret, only that it is there
	From  string // as in [Setting]
}

// Describe returns every setting, in a fixed order and without secrets, but for those of the
// terminal interface. It is for `sidestick doctor`; `sidestick config show` prints [Keys].
func (c Config) Describe() []Line {
	return append([]Line{
		{"home", c.Home.Value, c.Home.From},
		{"model", ShowURL(c.Model.Value), c.Model.From},
		{"fallback", c.showFallback(), c.Fallback.From},
		{"base URL", ShowURL(c.BaseURL.Value), c.BaseURL.From},
		{"API key", showSecret(c.APIKey.Value), c.APIKey.From},
		{"keyring", onOff(c.Keyring.Value), c.Keyring.From},
		{"Copilot API", ShowURL(c.CopilotAPI.Value), c.CopilotAPI.From},
		{"GitHub token", showSecret(c.GitHubToken.Value), c.GitHubToken.From},
		{"agent token", showSecret(c.AgentToken.Value), c.AgentToken.From},
		{"retry for", c.RetryFor.Value, c.RetryFor.From},
		{"silence", c.Silence.Value, c.Silence.From},
		{"repeated answers", c.RepeatedAnswers.Value, c.RepeatedAnswers.From},
		{"repeated calls", c.RepeatedCalls.Value, c.RepeatedCalls.From},
		{"CA file", c.CAFile.Value, c.CAFile.From},
		{"CA file (Node)", c.NodeCAFile.Value, c.NodeCAFile.From},
		{"client cert", c.ClientCert.Value, c.ClientCert.From},
		{"client key", c.ClientKey.Value, c.ClientKey.From},
		{"GitHub API", ShowURL(c.GitHubAPI.Value), c.GitHubAPI.From},
		{"host", c.Host.Value, c.Host.From},
		{"port", showPort(c.Port.Value), c.Port.From},
		{"answers at once", strconv.Itoa(c.Answers.Value), c.Answers.From},
		{"nested agents", strconv.Itoa(c.Subagents.Depth.Value), c.Subagents.Depth.From},
		{"agents at once", strconv.Itoa(c.Subagents.Running.Value), c.Subagents.Running.From},
		{"agents in all", strconv.Itoa(c.Subagents.Total.Value), c.Subagents.Total.From},
		{"agent models", c.Subagents.Models.Value, c.Subagents.Models.From},
		{"connection token", showSecret(c.ConnectionToken.Value), c.ConnectionToken.From},
		{"durability", c.Durability.Value, c.Durability.From},
		{"idle timeout", c.IdleTimeout.Value.String(), c.IdleTimeout.From},
		{"allow all", strconv.FormatBool(c.AllowAll.Value), c.AllowAll.From},
		{"allowed tools", strings.Join(c.AllowTools.Value, ", "), c.AllowTools.From},
		{"denied tools", strings.Join(c.DenyTools.Value, ", "), c.DenyTools.From},
		{"all paths", strconv.FormatBool(c.AllPaths.Value), c.AllPaths.From},
		{"protected files", strings.Join(c.Protected.Value, ", "), c.Protected.From},
		{"folders", strings.Join(c.Folders.Value, ", "), c.Folders.From},
		c.sandbox(),
		{"sandbox auto", strconv.FormatBool(c.SandboxAutoAllow.Value), c.SandboxAutoAllow.From},
		{"sandbox excludes", strings.Join(c.SandboxExclude.Value, ", "), c.SandboxExclude.From},
		{"sandbox required", strconv.FormatBool(c.SandboxRequired.Value), c.SandboxRequired.From},
		{"span file", c.TraceFile.Value, c.TraceFile.From},
		{"span source", c.TraceSource.Value, c.TraceSource.From},
		{"span content", strconv.FormatBool(c.TraceContent.Value), c.TraceContent.From},
		{"spans elsewhere", ShowURL(c.TraceElsewhere.Value), c.TraceElsewhere.From},
		{"web sockets", strconv.FormatBool(c.WebSockets.Value), c.WebSockets.From},
		{"keys to clients", strconv.FormatBool(c.ShowKeys.Value), c.ShowKeys.From},
		{"record", c.Tape.Record.Value, c.Tape.Record.From},
		{"replay", c.Tape.Replay.Value, c.Tape.Replay.From},
		{"replay tools", strconv.FormatBool(c.Tape.Tools.Value), c.Tape.Tools.From},
		{"tool set", c.ToolSet.Value, c.ToolSet.From},
		{"tool search", c.ToolSearch.Value, c.ToolSearch.From},
		{"effort", c.Effort.Value, c.Effort.From},
		{"max turns", strconv.Itoa(c.Budget.Turns.Value), c.Budget.Turns.From},
		{"max tokens", strconv.Itoa(c.Budget.Tokens.Value), c.Budget.Tokens.From},
		{"time limit", c.Budget.Time.Value.String(), c.Budget.Time.From},
		{"log level", c.LogLevel.Value, c.LogLevel.From},
		{"local servers", c.LocalServers.Value, c.LocalServers.From},
		{"log directory", c.LogDir.Value, c.LogDir.From},
	}, append(c.describeInstructions(), c.describeVendors()...)...)
}

func (c Config) describeInstructions() []Line {
	return []Line{
		{"Claude's files", c.ClaudeInstructions.Value, c.ClaudeInstructions.From},
		{"instructions in", c.InstructionDirs.Value, c.InstructionDirs.From},
	}
}

// describeVendors are the settings of single providers that have a source.
func (c Config) describeVendors() (all []Line) {
	add := func(name, value, from string) {
		if value != "" {
			all = append(all, Line{name, value, from})
		}
	}
	for _, name := range VendorNames() {
		set := c.Vendors[name]
		add(name+" key", showSecret(set.Key.Value), set.Key.From)
		add(name+" URL", ShowURL(set.BaseURL.Value), set.BaseURL.From)
	}
	add("Azure version", c.Clouds.AzureVersion.Value, c.Clouds.AzureVersion.From)
	add("AWS region", c.Clouds.AWSRegion.Value, c.Clouds.AWSRegion.From)
	add("AWS key id", c.Clouds.AWSKeyID.Value, c.Clouds.AWSKeyID.From)
	add("AWS secret", showSecret(c.Clouds.AWSSecret.Value), c.Clouds.AWSSecret.From)
	add("AWS session", showSecret(c.Clouds.AWSSession.Value), c.Clouds.AWSSession.From)
	add("Ollama window", c.Clouds.OllamaWindow.Value, c.Clouds.OllamaWindow.From)
	return all
}

// sandbox describes whether commands run in a sandbox. Without a setting, the subcommand decides.
func (c Config) sandbox() Line {
	if c.Sandbox.Value == "" {
		return Line{"sandbox", "on for run and chat", Default}
	}
	return Line{"sandbox", c.Sandbox.Value, c.Sandbox.From}
}

// showSecret shows the length of a secret, so that an incompletely copied key is noticed.
func showSecret(s Secret) string {
	if s == "" {
		return ""
	}
	if len(s) == 1 {
		return fmt.Sprintf("%s (1 byte)", s)
	}
	return fmt.Sprintf("%s (%d bytes)", s, len(s))
}

// ShowURL returns an address without user, password and query, which can hold a key. A text
// that is not an address comes back as it is.
func ShowURL(url string) string {
	before, _, cut := strings.Cut(url, "?")
	scheme, rest, ok := strings.Cut(before, "://")
	if at := strings.LastIndex(rest, "@"); ok && at >= 0 {
		before = scheme + "://…" + rest[at:]
	}
	if cut {
		return before + "?…"
	}
	return before
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func showPort(port int) string {
	if port == 0 {
		return "any free port"
	}
	return strconv.Itoa(port)
}
