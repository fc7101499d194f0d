package timeline

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Title says in one line what a tool call does: "$ go test ./...", "edit main.go
// (+3 −1)", "view src/a.go 10-40". Paths below cwd are shortened; cwd may be empty.
// For a tool that is not built in, it is the name and the arguments.
func Title(tool string, arguments json.RawMessage, cwd string) string {
	var a args
	_ = json.Unmarshal(arguments, &a)
	a.cwd = cwd
	text := ""
	if f := titles.Get()[tool]; f != nil {
		text = f(&a)
	}
	if text == "" {
		text = tool + rest(arguments)
	}
	if tool == "ask_user" || tool == confirmation {
		return line(text) // words for the user, and not for a machine
	}
	return exposedLine(text)
}

// args is the arguments of the built-in tools that a title shows.
type args struct {
	Command     string `json:"command"`
	Path        string `json:"path"`
	Range       []int  `json:"view_range"`
	OldText     string `json:"old_str"`
	NewText     string `json:"new_str"`
	FileText    string `json:"file_text"`
	Pattern     string `json:"pattern"`
	Glob        string `json:"glob"`
	URL         string `json:"url"`
	Query       string `json:"query"`
	Description string `json:"description"`
	Question    string `json:"question"`
	Summary     string `json:"summary"`
	Intent      string `json:"intent"`
	Skill       string `json:"skill"`
	Name        string `json:"name"`
	AgentType   string `json:"agent_type"`
	AgentID     string `json:"agent_id"`
	Title       string `json:"title"`
	Message     string `json:"message"`
	ShellID     string `json:"shellId"`
	Input       string `json:"input"`
	cwd         string
}

var titles = lazy.Value[map[string]func(a *args) string]{Make: func() map[string]func(a *args) string {
	return map[string]func(a *args) string{
		"bash":       command,
		"powershell": command,
		"view":       func(a *args) string { return about("view", a.path()) + lineRange(a.Range) },
		"create": func(a *args) string {
			return about("create", a.path()) + " (" + Plural(lines(a.FileText), "line") + ")"
		},
		"edit":       func(a *args) string { return about("edit", a.path()) + changes(a.OldText, a.NewText) },
		"grep":       func(a *args) string { return about("grep", a.Pattern) + after(" in ", join(a.path(), a.Glob)) },
		"glob":       func(a *args) string { return about("glob", a.Pattern) + after(" in ", a.path()) },
		"web_fetch":  func(a *args) string { return about("fetch", a.URL) },
		"sql":        func(a *args) string { return about("sql:", either(a.Description, a.Query)) },
		confirmation: func(a *args) string { return about("confirmation:", either(a.Title, a.Message)) },
		"ask_user":   func(a *args) string { return about("asks:", a.Question) },

		"task_complete":  func(*args) string { return "task complete" },   // the summary is a row of its own
		"exit_plan_mode": func(*args) string { return "presents a plan" }, // the question shows the plan
		"report_intent":  func(a *args) string { return about("intent:", a.Intent) },
		"skill":          func(a *args) string { return about("skill", a.Skill) },
		"task":           func(a *args) string { return about("agent", either(a.Name, a.AgentType)) + after(": ", a.Description) },
		"read_agent":     func(a *args) string { return about("read agent", a.AgentID) },
		"write_agent":    func(a *args) string { return about("tell agent", a.AgentID) },

		"read_bash":  func(a *args) string { return about("read shell", a.ShellID) },
		"write_bash": func(a *args) string { return about("type into shell", a.ShellID) + after(": ", a.Input) },
		"stop_bash":  func(a *args) string { return about("stop shell", a.ShellID) },
		"list_bash":  func(*args) string { return "list shells" },

		"read_powershell":  func(a *args) string { return about("read shell", a.ShellID) },
		"write_powershell": func(a *args) string { return about("type into shell", a.ShellID) + after(": ", a.Input) },
		"stop_powershell":  func(a *args) string { return about("stop shell", a.ShellID) },
		"list_powershell":  func(*args) string { return "list shells" },
	}
}}

func (a *args) path() string { return RelativePath(a.Path, a.cwd) }

// command is the first line of a command, and the number of further lines.
func command(a *args) string {
	text := strings.TrimSpace(Exposed(a.Command))
	first, more := firstLine(text)
	if more {
		first += fmt.Sprintf(" … %s more", Plural(lines(text)-1, "line"))
	}
	return about("$", first)
}

// about is a verb and its object; "" without the object, so that the title shows the raw
// arguments.
func about(verb, what string) string {
	if what == "" {
		return ""
	}
	return verb + " " + what
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

// RelativePath returns a path relative to cwd, if it is below it.
func RelativePath(path, cwd string) string {
	if cwd == "" || !filepath.IsAbs(path) {
		return path
	}
	below, err := filepath.Rel(cwd, path)
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return path
	}
	return below
}

// lineRange is the range of lines of a view; a last line of -1 is the end.
func lineRange(r []int) string {
	switch {
	case len(r) != 2:
		return ""
	case r[1] < 0:
		return fmt.Sprintf(" %d-", r[0])
	}
	return fmt.Sprintf(" %d-%d", r[0], r[1])
}

// changes counts the lines that an edit removes and adds. Lines that both texts begin or
// end with do not count.
func changes(before, after string) string {
	if before == after {
		return ""
	}
	b, a := split(before), split(after)
	for len(b) > 0 && len(a) > 0 && b[0] == a[0] {
		b, a = b[1:], a[1:]
	}
	for len(b) > 0 && len(a) > 0 && b[len(b)-1] == a[len(a)-1] {
		b, a = b[:len(b)-1], a[:len(a)-1]
	}
	return fmt.Sprintf(" (+%d −%d)", len(a), len(b))
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// rest is the raw arguments of a call, with a space before them; "" if it has none.
func rest(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "{}" || string(raw) == "null" {
		return ""
	}
	return " " + string(raw)
}
