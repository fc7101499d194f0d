package timeline

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// Title says in one line what a tool call does: "$ go test ./...", "edit main.go
// (+3 −1)", "view src/a.go 10-40". Paths below cwd are shortened; cwd may be empty.
// For a tool that is not built in, it is the name and the arguments.
func Title(tool string, arguments json.RawMessage, cwd string) string {
	return readArgs(arguments, cwd).titleOf(tool, arguments)
}

// titleOf is the title of a call of a tool that has these arguments, which raw are as well.
func (a *args) titleOf(tool string, raw json.RawMessage) string {
	f := fact.Of(tool)
	text := ""
	if f.Title.Verb != "" {
		text = a.title(&f.Title)
	}
	if text == "" {
		text = tool + rest(raw)
	}
	if f.Does == fact.Ask || f.Does == fact.Confirm {
		return line(text) // words for the user, and not for a machine
	}
	return exposedLine(text)
}

// args are the arguments of a call.
type args struct {
	members map[string]json.RawMessage
	cwd     string
}

func readArgs(raw json.RawMessage, cwd string) *args {
	a := &args{cwd: cwd}
	_ = json.Unmarshal(raw, &a.members) // a call with other arguments has a title without them
	return a
}

// text is the argument of that name, "" if it is none, or no string. Paths below cwd are shortened.
func (a *args) text(name string) (text string) {
	_ = json.Unmarshal(a.members[name], &text)
	if name == "path" {
		return RelativePath(text, a.cwd)
	}
	return text
}

// first is the first of these arguments that is set.
func (a *args) first(names []string) string {
	for _, name := range names {
		if text := a.text(name); text != "" {
			return text
		}
	}
	return ""
}

// title is the title of a call that has these arguments; "" if its subject is not set.
func (a *args) title(t *fact.Title) string {
	if len(t.Subject) == 0 {
		return t.Verb
	}
	subject, tail := a.first(t.Subject), ""
	switch t.Tail {
	case fact.NoTail:
	case fact.FirstLine:
		subject, tail = command(subject)
	case fact.Range:
		tail = a.lineRange()
	case fact.Lines:
		tail = " (" + Plural(lines(a.text("file_text")), "line") + ")"
	case fact.Changes:
		tail = changes(a.text("old_str"), a.text("new_str"))
	}
	if subject == "" {
		return ""
	}
	var about []string
	for _, name := range t.About {
		if text := a.text(name); text != "" {
			about = append(about, text)
		}
	}
	return t.Verb + " " + subject + tail + after(t.Label, strings.TrimSpace(strings.Join(about, " ")))
}

// command is the first line of a command, and the number of further lines.
func command(text string) (first, further string) {
	text = strings.TrimSpace(Exposed(text))
	first, more := firstLine(text)
	if more {
		further = fmt.Sprintf(" … %s more", Plural(lines(text)-1, "line"))
	}
	return first, further
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

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
func (a *args) lineRange() string {
	var r []int
	_ = json.Unmarshal(a.members["view_range"], &r)
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
