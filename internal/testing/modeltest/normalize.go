package modeltest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Two runs of one conversation differ in paths, ids, times and the tools that are
// offered. A normalizer removes these differences from both the stored and the live
// messages; the rest is compared to the letter.
//
// It does not handle what only suites about skills and the gh tool need: SKILL.md front
// matter, login help, backslashes; nor agent ids that differ from the name of their call.
type normalizer struct {
	workDir *regexp.Regexp // nil: paths are left alone
}

// rule replaces what a pattern matches.
type rule struct {
	pattern *regexp.Regexp
	with    string
}

// userRules apply in order to each text part of a user message.
var userRules = lazy.Value[[]rule]{Make: func() []rule {
	return []rule{
		{regexp.MustCompile(`<current_datetime>.*?</current_datetime>`), ""},
		{regexp.MustCompile(`(?s)<reminder>.*?</reminder>`), ""},
		{regexp.MustCompile(`(?s)<system_reminder>.*?</system_reminder>`), ""},
		{regexp.MustCompile(`(?s)<agent_instructions>.*?</agent_instructions>`), ""},
		{regexp.MustCompile(`^\s*\[\[PLAN\]\]\s*`), ""},
		{regexp.MustCompile(`(?s)Please create a detailed summary of the conversation so far\. The history is being compacted.*`), "$${compaction_prompt}"},
	}
}}

// toolRules apply in order to a tool's result.
var toolRules = lazy.Value[[]rule]{Make: func() []rule {
	return []rule{
		{regexp.MustCompile(`(Tool '[^']+' does not exist\.) Available tools that can be called are [^.]*\.`), "$1"},
		{regexp.MustCompile(`\d+-copilot-tool-output-[a-z0-9.]+`), outputFile},
		{regexp.MustCompile(`[^\s"'` + "`" + `]*/session-state/temp/` + outputFile), "/session-state/temp/" + outputFile},
		{regexp.MustCompile(`<shellId:\s*[^>\r\n]+?\s+completed with exit code (-?\d+)>`), "<exited with exit code $1>"},
		{regexp.MustCompile(`(?s)^Failed to execute .*Session aborted$`), interrupted},
		{regexp.MustCompile(`^(Agent completed\. .*, total_turns: )\d+(\r?\n|$)`), "${1}0, duration: 0s$2"},
		{regexp.MustCompile(`\b(elapsed|duration): \d+(?:\.\d+)?s\b`), "$1: 0s"},
		{regexp.MustCompile(`^<shell context is being reconfigured; retry the command>$`), interrupted},
	}
}}

// The placeholders in recordings for texts that vary.
const (
	interrupted = "The execution of this tool, or a previous tool was interrupted."
	outputFile  = "PLACEHOLDER-copilot-tool-output-PLACEHOLDER"
)

// shellNames are the names a recording has for the shell tools.
var shellNames = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{"bash": "${shell}", "read_bash": "${read_shell}", "write_bash": "${write_shell}"}
}}

func newNormalizer(workDir string) normalizer {
	workDir = strings.TrimRight(workDir, "/")
	if workDir == "" {
		return normalizer{}
	}
	return normalizer{regexp.MustCompile(`(?i)` + regexp.QuoteMeta(workDir) + "([\\\\/]+[^\\s\"'`,]*)?")}
}

func apply(rules []rule, s string) string {
	for _, r := range rules {
		s = r.pattern.ReplaceAllString(s, r.with)
	}
	return s
}

// entry is a message to be normalised.
type entry struct {
	Message
	texts []string // the parts of Content
	list  bool     // the content came as a list of parts, not as a string
}

func asStored(list []Message) []entry {
	entries := make([]entry, len(list))
	for i, m := range list {
		entries[i] = entry{Message: m, texts: []string{m.Content}}
	}
	return entries
}

func asLive(r *Request) []entry {
	entries := make([]entry, len(r.wire))
	for i, w := range r.wire {
		list := len(w.Content) > 0 && w.Content[0] == '['
		entries[i] = entry{r.Messages[i], w.texts(), list}
	}
	return entries
}

// conversation returns one comparable string per message.
func (n normalizer) conversation(entries []entry) []string {
	list := make([]Message, len(entries))
	for i, e := range entries {
		list[i] = n.message(e)
	}
	renumber(list)
	orderResults(list)
	keys := make([]string, len(list))
	for i, m := range list {
		keys[i] = key(m)
	}
	return keys
}

// message normalises a message without looking at the others.
func (n normalizer) message(e entry) Message {
	m := e.Message
	m.Content = n.content(e)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		c.Arguments = n.paths(canonicalArguments(c.Arguments))
		if name, ok := shellNames.Get()[c.Name]; ok {
			c.Name = name
		}
	}
	return m
}

// content is the text of m; a list of parts is read only from users.
func (n normalizer) content(m entry) string {
	switch {
	case m.Role == "system":
		return "${system}"
	case m.Role == "user":
		texts := slices.Clone(m.texts)
		for i, t := range texts {
			texts[i] = strings.TrimSpace(apply(userRules.Get(), t))
		}
		return n.paths(strings.Join(texts, "\n"))
	case m.list:
		return ""
	case m.Role == "tool":
		return apply(toolRules.Get(), n.paths(canonicalResult(m.Content)))
	}
	return n.paths(m.Content)
}

// paths replaces the work directory and puts slashes into the rest of the path.
func (n normalizer) paths(s string) string {
	if n.workDir == nil {
		return s
	}
	return n.workDir.ReplaceAllStringFunc(s, func(found string) string {
		rest := n.workDir.FindStringSubmatch(found)[1]
		return "${workdir}" + slashes.Get().ReplaceAllString(rest, "/")
	})
}

var slashes = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`[\\/]+`) }}
