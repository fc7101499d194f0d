package peerfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonc"
	"github.com/sidestick-dev/sidestick/internal/shellword"
)

// Hook is one hook of a file: a command that is called at an event.
type Hook struct {
	// Kind is the event, in the words of this program.
	Kind string
	// Pascal is set if the file names the event in PascalCase, as Claude Code does: the command gets names
	// like tool_name, and may answer in the same words.
	Pascal bool
	// Text is the command for the shell of this operating system; "" if the hook is for another one.
	Text string
	// Dir is where it starts, "" for the project.
	Dir   string
	Env   map[string]string
	Limit time.Duration
	// Matches is what it is called for.
	Matches Matcher
}

// The time limits of a command.
const (
	limitOfCopilot = 30 * time.Second
	limitOfClaude  = 10 * time.Minute
	limitOfPrompt  = 30 * time.Second // of Claude Code, for UserPromptSubmit
	longestLimit   = 10 * time.Minute
	shortestLimit  = time.Second
)

// Hooks are the hooks of a file, by the names of the events in alphabetical order, and in the order of the file.
type Hooks struct {
	List []Hook
	// Warnings say what of the file has no effect, each with its place in the file.
	Warnings []string
	// Others are the names of other members of the file, in alphabetical order.
	Others []string
}

// ParseHooks reads a file with hooks. claude is set for files of Claude Code, whose commands have more time.
func ParseHooks(text []byte, claude bool) (h Hooks, err error) {
	var members map[string]json.RawMessage
	if err := fault.DecodeObject(jsonc.Plain(text), &members); err != nil {
		return h, err
	}
	p := parser{claude: claude}
	p.file(members)
	return p.Hooks, p.err
}

type parser struct {
	Hooks
	claude bool
	err    error
}

func (p *parser) warn(place, format string, args ...any) {
	p.Warnings = append(p.Warnings, place+": "+fmt.Sprintf(format, args...))
}

func (p *parser) file(members map[string]json.RawMessage) {
	off := false
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch value := members[name]; name {
		case "version":
			if string(value) != "1" {
				p.err = fmt.Errorf("its version is %.40s, and 1 is the only one that is known", value)
				return
			}
		case "disableAllHooks":
			off = string(value) == "true"
		case "hooks":
			var byEvent map[string]json.RawMessage
			if p.err = fault.DecodeObject(value, &byEvent); p.err != nil {
				p.err = fmt.Errorf("hooks: %w", p.err)
				return
			}
			for _, event := range slices.Sorted(maps.Keys(byEvent)) {
				p.event(event, byEvent[event])
			}
		case "$schema", "description":
		default:
			p.Others = append(p.Others, name)
		}
	}
	if off && len(p.List) > 0 {
		p.List = nil
		p.warn("disableAllHooks", "the hooks of this file do not run, and those of other files do")
	}
}

// event reads the hooks of one event: a list of hooks, or of groups with a matcher and hooks.
func (p *parser) event(name string, value json.RawMessage) {
	place := fmt.Sprintf("%.60q", name)
	place = strings.Trim(place, `"`)
	kind, pascal, wrong := kindOf(name)
	if wrong != "" {
		p.warn(place, "%s", wrong)
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		p.warn(place, "it is no list of hooks")
		return
	}
	for i, one := range list {
		at := fmt.Sprintf("%s hook %d", place, i+1)
		var group struct {
			Hooks []json.RawMessage `json:"hooks"`
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(one, &members) != nil {
			p.warn(at, "it is no object")
			continue
		}
		if members["hooks"] == nil {
			p.hook(at, one, Hook{Kind: kind, Pascal: pascal}, nil)
			continue
		}
		if json.Unmarshal(one, &group) != nil {
			p.warn(at, "its hooks are no list")
			continue
		}
		p.unknown(at, members, "matcher", "hooks")
		for j, inner := range group.Hooks {
			p.hook(fmt.Sprintf("%s.%d", at, j+1), inner, Hook{Kind: kind, Pascal: pascal}, members["matcher"])
		}
	}
}

// entry is one hook as files write it.
type entry struct {
	Type       string            `json:"type"`
	Bash       string            `json:"bash"`
	Powershell string            `json:"powershell"`
	Command    string            `json:"command"`
	Exec       string            `json:"exec"`
	Args       []string          `json:"args"`
	Cwd        string            `json:"cwd"`
	Env        map[string]string `json:"env"`
	TimeoutSec *float64          `json:"timeoutSec"`
	Timeout    *float64          `json:"timeout"`
	Matcher    *string           `json:"matcher"`
	Shell      string            `json:"shell"`
}

// known are the members of a hook that have an effect; comment and statusMessage are for people.
var known = []string{
	"type", "bash", "powershell", "command", "exec", "args", "cwd", "env", "timeoutSec", "timeout", "matcher", "shell", "comment", "statusMessage",
}

// shells are the words of the member shell. A command for the one that this system does not have does not run.
var shells = []string{"bash", "powershell"}

func (p *parser) unknown(at string, members map[string]json.RawMessage, known ...string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			p.warn(at, "%.60q has no effect in this version", name)
		}
	}
}

// hook reads one hook. matcher is that of its group, nil for none.
func (p *parser) hook(at string, text json.RawMessage, h Hook, matcher json.RawMessage) {
	var members map[string]json.RawMessage
	var e entry
	if err := fault.DecodeObject(text, &members); err != nil {
		p.warn(at, "%v", err)
		return
	}
	if err := fault.DecodeObject(text, &e); err != nil {
		p.warn(at, "it does not run: %v", err)
		return
	}
	if e.Type != "" && e.Type != "command" {
		p.warn(at, "type is %.60q, and only \"command\" is run", e.Type)
		return
	}
	if matcher != nil && json.Unmarshal(matcher, &e.Matcher) != nil {
		p.warn(at, "it does not run: its matcher is no text")
		return
	}
	p.unknown(at, members, known...)
	if err := e.fill(&h, p.claude); err != nil {
		p.warn(at, "%v", err)
		return
	}
	if h.Text == "" {
		return
	}
	p.List = append(p.List, h)
	if e.Timeout != nil && e.TimeoutSec != nil && *e.Timeout != *e.TimeoutSec && *e.TimeoutSec != 0 {
		p.warn(at, "\"timeout\" has no effect, because \"timeoutSec\" is there as well")
	}
	if e.Shell != "" && !slices.Contains(shells, e.Shell) {
		p.warn(at, "shell is %.60q and has no effect; the shells are bash and powershell", e.Shell)
	}
}

// fill sets what the members of an entry say.
func (e entry) fill(h *Hook, claude bool) (err error) {
	if h.Text, err = e.text(); err != nil {
		return err
	}
	h.Dir, h.Env = e.Cwd, e.Env
	for name := range e.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("%.60q in env is not a name of a variable", name)
		}
	}
	if h.Limit, err = e.limit(h, claude); err != nil {
		return err
	}
	if e.Matcher != nil {
		h.Matches, err = newMatcher(*e.Matcher, h.Pascal, claude)
	}
	return err
}

func (e entry) text() (string, error) {
	system := e.Bash
	if runtime.GOOS == "windows" {
		system = e.Powershell
	}
	switch {
	case system != "":
		return system, nil
	case e.Exec != "":
		return commandLine(e.Exec, e.Args), nil
	case e.Command != "" && e.Args != nil:
		return commandLine(e.Command, e.Args), nil
	case e.Command != "" && slices.Contains(shells, e.Shell) && (e.Shell == "powershell") != (runtime.GOOS == "windows"):
		return "", nil
	case e.Command != "":
		return e.Command, nil
	case e.Bash == "" && e.Powershell == "":
		return "", errors.New("it has none of bash, powershell, command and exec")
	}
	return "", nil
}

// commandLine is a program with its arguments as the text of a shell.
func commandLine(program string, args []string) string {
	words := []string{shellword.Quote(program)}
	for _, a := range args {
		words = append(words, shellword.Quote(a))
	}
	if runtime.GOOS == "windows" {
		words[0] = "& " + words[0]
	}
	return strings.Join(words, " ")
}

func (e entry) limit(h *Hook, claude bool) (time.Duration, error) {
	limit := limitOfCopilot
	if claude && h.Kind != "userPromptSubmitted" {
		limit = limitOfClaude
	} else if claude {
		limit = limitOfPrompt
	}
	for _, given := range []struct {
		name    string
		seconds *float64
	}{{"timeout", e.Timeout}, {"timeoutSec", e.TimeoutSec}} { // the last one holds
		switch {
		case given.seconds == nil || *given.seconds == 0:
		case *given.seconds < 0:
			return 0, fmt.Errorf("%s is %v", given.name, *given.seconds)
		default:
			limit = time.Duration(min(max(*given.seconds, shortestLimit.Seconds()), longestLimit.Seconds()) * float64(time.Second))
		}
	}
	return limit, nil
}

// Line is the hook in one line for people: its event, where it starts, the variables that it gets, and its command.
// Nothing in it is cut.
func (h Hook) Line() string {
	var with []string
	if h.Dir != "" {
		with = append(with, "in the folder "+shellword.Quote(h.Dir))
	}
	for _, name := range slices.Sorted(maps.Keys(h.Env)) {
		with = append(with, "with "+shellword.Quote(name)+"="+shellword.Quote(h.Env[name]))
	}
	if len(with) == 0 {
		return h.Kind + " = " + h.Text
	}
	return h.Kind + " (" + strings.Join(with, ", ") + ") = " + h.Text
}
