package prompt

import (
	_ "embed"
	"runtime"
	"slices"
	"strings"
)

// Section is a named part of the system message. Clients change sections by the protocol's
// ids.
type Section struct{ ID, Text string }

// The ids of the sections, in the order in which they are sent. Source: the SDK's
// types.go, "Known system message section identifiers".
const (
	Preamble            = "preamble"
	Tone                = "tone"
	ToolEfficiency      = "tool_efficiency"
	EnvironmentContext  = "environment_context"
	CodeChangeRules     = "code_change_rules"
	Guidelines          = "guidelines"
	Safety              = "safety"
	ToolInstructions    = "tool_instructions"
	CustomInstructions  = "custom_instructions"
	RuntimeInstructions = "runtime_instructions"
	LastInstructions    = "last_instructions"
)

// Identity is a group: an override of it applies to [Preamble], [Tone] and [ToolEfficiency].
const Identity = "identity"

func inIdentity(id string) bool { return id == Preamble || id == Tone || id == ToolEfficiency }

// Env holds the facts that the system message states about a session. Every field may be
// zero.
type Env struct {
	// Cwd is the session's working directory, GitRoot the repository that contains it; both
	// are absolute. GitRoot is empty outside of a repository.
	Cwd, GitRoot string
	// OS is the operating system. Default: this machine's.
	OS string
	// Programs are useful command-line programs; see [Programs].
	Programs []string
	// Tools are the names of the tools that the model gets. Advice about other tools is left
	// out.
	Tools []string
	// Mode is the session's mode. Plan is the absolute path of plan.md, the file for the
	// plan.
	Mode Mode
	Plan string
	// Instructions is the result of [Instructions.Text].
	Instructions string
	// Small asks for the short texts, which go with the small set of tools.
	Small bool
	// Agent has the instructions of the main agent ([agent.Definition.Instructions] of
	// internal/agent); empty for the default agent.
	Agent string
}

// Sections returns the system message: all eleven parts in order, some of which may be
// empty. Without Instructions and Agent it has less than 6,000 bytes, and less than 2,000 if e is Small.
func Sections(e Env) []Section {
	if e.Small {
		return e.smallSections()
	}
	return []Section{
		{Preamble, e.only(preambleText)},
		{Tone, e.only(toneText)},
		{ToolEfficiency, e.only(toolEfficiencyText)},
		{EnvironmentContext, e.environment()},
		{CodeChangeRules, "<code_change_instructions>\n" + e.only(codeChangeRulesText) + "\n</code_change_instructions>"},
		{Guidelines, e.only(guidelinesText)},
		{Safety, e.only(safetyText)},
		{ToolInstructions, e.only(toolInstructionsText)},
		{CustomInstructions, e.Instructions},
		{RuntimeInstructions, join(e.Mode.text(e), e.Agent)},
		{LastInstructions, e.only(lastInstructionsText)},
	}
}

// smallSections are those that leave a small window to the work: who the model is, how it works, and what
// it must not do.
func (e Env) smallSections() []Section {
	return []Section{
		{Preamble, e.only(smallPreambleText)},
		{Tone, ""},
		{ToolEfficiency, ""},
		{EnvironmentContext, e.environment()},
		{CodeChangeRules, ""},
		{Guidelines, e.only(smallGuidelinesText)},
		{Safety, e.only(smallSafetyText)},
		{ToolInstructions, ""},
		{CustomInstructions, e.Instructions},
		{RuntimeInstructions, join(e.Mode.text(e), e.Agent)},
		{LastInstructions, ""},
	}
}

// The texts, each in a file of its own. A line that begins with [a,b] is only for sessions
// that have all of these tools.
var (
	//go:embed sections/preamble.md
	preambleText string
	//go:embed sections/preamble_small.md
	smallPreambleText string
	//go:embed sections/guidelines_small.md
	smallGuidelinesText string
	//go:embed sections/safety_small.md
	smallSafetyText string
	//go:embed sections/tone.md
	toneText string
	//go:embed sections/tool_efficiency.md
	toolEfficiencyText string
	//go:embed sections/code_change_rules.md
	codeChangeRulesText string
	//go:embed sections/guidelines.md
	guidelinesText string
	//go:embed sections/safety.md
	safetyText string
	//go:embed sections/tool_instructions.md
	toolInstructionsText string
	//go:embed sections/last_instructions.md
	lastInstructionsText string
)

// only returns a text without the lines for tools that the session does not have; "" if only
// headings are left.
func (e Env) only(text string) string {
	var out []string
	said := false
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if names, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "]"); ok && line[0] == '[' {
			if !e.offers(strings.Split(names, ",")) {
				continue
			}
			line = rest
		}
		said = said || !strings.HasPrefix(line, "#")
		out = append(out, line)
	}
	if !said {
		return ""
	}
	return strings.TrimSpace(strings.Join(out, ""))
}

func (e Env) offers(tools []string) bool {
	for _, t := range tools {
		if !slices.Contains(e.Tools, t) {
			return false
		}
	}
	return true
}

// environment returns the facts about the session. The SDK's tests match its
// first words, to check that a client has removed the section.
func (e Env) environment() string {
	lines := []string{"<environment_context>", "Current working directory: " + e.Cwd}
	if e.GitRoot != "" {
		lines = append(lines, "Git repository root: "+e.GitRoot)
	} else {
		lines = append(lines, "Not in a git repository.")
	}
	if e.OS == "" {
		e.OS = runtime.GOOS
	}
	lines = append(lines, "Operating system: "+e.OS)
	if len(e.Programs) > 0 {
		lines = append(lines, "Available command-line tools: "+strings.Join(e.Programs, ", "))
	}
	return strings.Join(append(lines, "</environment_context>"), "\n")
}

// Programs returns those of a short list of programs that look finds, in the order of the
// list. look is [os/exec.LookPath]. Call it once per process.
func Programs(look func(name string) (string, error)) []string {
	var found []string
	for _, name := range []string{"git", "gh", "rg", "jq", "curl", "make", "docker", "go", "node", "npm", "python3", "cargo", "java"} {
		if _, err := look(name); err == nil {
			found = append(found, name)
		}
	}
	return found
}
