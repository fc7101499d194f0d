package prompt

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// TemplateText is the text of a template with what the user wrote after its name.
type TemplateText struct {
	Text string
	Mode string // of the message: "plan", or "" for the session's mode
	// Unused names the parts of the file that have no effect.
	Unused []string
}

// Use is what a text needs when it is sent, beside what the user wrote.
type Use struct {
	// Cwd is the working directory, Root the folder of the project, SessionID that of the session.
	Cwd, Root, SessionID string
	// Run runs a command of the text with further allowed tools; MayRead says why a file must not be read, "" if it may. nil:
	// no command runs, and no file is attached.
	Run     func(command string, allowed []string) (output, why string)
	MayRead func(path string) (why string)
}

// placeholder finds what the user's text replaces, and variables that this program does not know.
var placeholder = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`\$ARGUMENTS\b|\$[1-9]\b|\$\{[A-Za-z][^}\n]*\}`)
}}

// assignment finds NAME=VALUE and NAME="VALUE" in what the user wrote.
var assignment = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\s)([A-Za-z_][A-Za-z0-9_-]*)=("[^"]*"|\S+)`)
}}

// ReadTemplate returns the text of a template. input is what the user wrote after its name:
//
//   - $ARGUMENTS is all of it, $1 to $9 its words;
//   - ${input:NAME} and ${input:NAME:HINT} are NAME=VALUE in it, and the first one without a
//     value is what remains;
//   - ${workspaceFolder} and ${workspaceFolderBasename} are cwd.
//
// If the text uses none of it, input comes after it. The error names inputs without a value. It
// reads a file. A file in the form of Claude Code has what [Filling] says, and mentions of files.
func (d Disk) ReadTemplate(t Template, input string, use Use) (out TemplateText, err error) {
	c, refused, err := d.readCounted(t.Path, t.within, maxTemplate, t.counts)
	if err == nil && refused != nil {
		return out, fmt.Errorf("the file %s of /%s: %w", t.Path, t.Name, refused)
	}
	if err != nil {
		return out, fmt.Errorf("the file %s of /%s: %s", t.Path, t.Name, reason(err))
	}
	if c.cut {
		return out, fmt.Errorf("the file %s of /%s has more than %s", t.Path, t.Name, bytesShown(maxTemplate))
	}
	front, body := split(c.text)
	table, err := fields(front) // other problems were reported when the file was found
	if isRefused(err) {
		return out, fmt.Errorf("the file %s of /%s: front matter: %w", t.Path, t.Name, err)
	}
	if t.claude {
		_, programs, err := d.readCounted(t.Path, t.within, maxTemplate, t.programs)
		if err != nil {
			programs = err
		}
		out, err = d.claudeText(t.Name, body, table, filled{input: input, folder: filepath.Dir(t.Path), refused: programs}, use)
		return out, err
	}
	out.Mode, out.Unused = templateMode(table)
	e := expansion{input: strings.TrimSpace(input), cwd: use.Cwd}
	e.assign(body)
	out.Text = strings.TrimSpace(placeholder.Get().ReplaceAllStringFunc(body, e.value))
	if e.size > maxExpanded {
		return TemplateText{}, fmt.Errorf("the text of /%s has more than %s with what you wrote", t.Name, bytesShown(maxExpanded))
	}
	if out.Unused = append(out.Unused, e.unknown...); len(e.missing) > 0 {
		return out, errors.New("/" + t.Name + " needs " + strings.Join(e.missing, ", ") + "; write " + e.example(t.Name))
	}
	if !e.used && e.input != "" {
		out.Text += "\n\nThe user's request: " + e.input
	}
	return out, nil
}

// templateMode returns the mode that the front matter asks for, and what in it has no effect.
func templateMode(table map[string]any) (mode string, unused []string) {
	wanted, _ := table["agent"].(string)
	if wanted == "" {
		wanted, _ = table["mode"].(string)
	}
	switch wanted {
	case "plan":
		mode = "plan"
	case "", "agent":
	default:
		unused = append(unused, "agent: "+oneLine(wanted, maxName))
	}
	for _, key := range []string{"model", "tools", "allowed-tools"} {
		if table[key] != nil {
			unused = append(unused, key)
		}
	}
	return mode, unused
}

// expansion replaces the placeholders of one text. The text of the user is never expanded.
type expansion struct {
	input, cwd string
	values     map[string]string // of inputs
	used       bool              // whether the text has a placeholder for what the user wrote
	missing    []string          // inputs without a value, with their hints
	names      []string          // of these
	unknown    []string          // variables that this program does not have
	size       int               // bytes of all replacements
}

// assign finds the values of the inputs in what the user wrote.
func (e *expansion) assign(body string) {
	var inputs []string
	for _, found := range placeholder.Get().FindAllString(body, -1) {
		if name, _, ok := inputName(found); ok && !slices.Contains(inputs, name) {
			inputs = append(inputs, name)
		}
	}
	e.values = map[string]string{}
	rest := assignment.Get().ReplaceAllStringFunc(e.input, func(found string) string {
		m := assignment.Get().FindStringSubmatch(found)
		if !slices.Contains(inputs, m[1]) {
			return found
		}
		e.values[m[1]] = strings.Trim(m[2], `"`)
		return ""
	})
	if rest = strings.TrimSpace(rest); rest == "" {
		return
	}
	for _, name := range inputs {
		if _, given := e.values[name]; !given {
			e.values[name] = rest
			return
		}
	}
}

// inputName returns the name and the hint of ${input:NAME:HINT}.
func inputName(found string) (name, hint string, ok bool) {
	inner, ok := strings.CutPrefix(strings.TrimSuffix(found, "}"), "${input:")
	name, hint, _ = strings.Cut(inner, ":")
	return name, hint, ok && name != ""
}

// value is what replaces a placeholder; "" once that makes the text too long, because a file can
// repeat what the user wrote very often.
func (e *expansion) value(found string) string {
	text := e.replacement(found)
	if e.size += len(text); e.size > maxExpanded {
		return ""
	}
	return text
}

func (e *expansion) replacement(found string) string {
	if name, hint, ok := inputName(found); ok {
		e.used = true
		value, given := e.values[name]
		if !given && !slices.Contains(e.names, name) {
			e.names = append(e.names, name)
			e.missing = append(e.missing, strings.TrimSuffix(name+" ("+oneLine(hint, maxName)+")", " ()"))
		}
		return value
	}
	switch found {
	case "$ARGUMENTS":
		e.used = true
		return e.input
	case "${workspaceFolder}":
		return e.cwd
	case "${workspaceFolderBasename}":
		return filepath.Base(e.cwd)
	}
	if n := found[1] - '0'; len(found) == 2 && n <= 9 {
		e.used = true
		if words := strings.Fields(e.input); int(n) <= len(words) {
			return words[n-1]
		}
		return ""
	}
	if !slices.Contains(e.unknown, found) {
		e.unknown = append(e.unknown, found)
	}
	return found
}

// example is how the user gives the inputs that are missing.
func (e *expansion) example(name string) string {
	example := "/" + name
	for _, input := range e.names {
		example += " " + cmp.Or(input, "input") + `="…"`
	}
	return example
}
