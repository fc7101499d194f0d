package page

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Command is a slash command.
type Command struct {
	Name   string // with its slash, and its arguments as help shows them
	Help   string
	Source string // where it comes from, such as "project"; "" for those of this program
}

// Help is the page of all keys and commands, for the pager.
func Help(keys *keymap.Table, commands []Command) *pager.Pager {
	p := pager.New("Help", newHelp(keys, commands), keys)
	p.Marks = "sections"
	return p
}

// help is the source of the page: one item for each section.
type help struct{ sections []section }

type section struct {
	title string
	lines [][2]string
	note  string
}

func newHelp(keys *keymap.Table, commands []Command) help {
	first := section{title: "While you write", lines: [][2]string{
		{"@", "a file: its name is completed, and the model reads it"},
		{"/", "a command, at the beginning of the message"},
		{"!", "a command of yours for the shell, at the beginning of the message"},
	}, note: "Paste or drop images and files to attach them. Begin a message with a space to send it as it is."}
	return help{append(append([]section{first}, commandSections(commands)...), keySections(keys)...)}
}

func commandSections(commands []Command) (all []section) {
	own, found := section{title: "Commands"}, section{title: "Commands from files and skills"}
	for _, c := range commands {
		text := [2]string{line(c.Name), line(c.Help)}
		if c.Source == "" {
			own.lines = append(own.lines, text)
			continue
		}
		text[1] += " (" + line(c.Source) + ")"
		found.lines = append(found.lines, text)
	}
	for _, s := range []section{own, found} {
		if len(s.lines) > 0 {
			all = append(all, s)
		}
	}
	return all
}

func keySections(keys *keymap.Table) (all []section) {
	for _, a := range keys.Actions() {
		if len(all) == 0 || all[len(all)-1].title != a.Group {
			all = append(all, section{title: a.Group})
		}
		if len(a.Keys) == 0 {
			continue
		}
		labels := make([]string, len(a.Keys))
		for i, k := range a.Keys {
			labels[i] = keymap.Label(k)
		}
		text := strings.Join(labels, "  ")
		if a.Name == keymap.QuestionNumber && len(labels) > 1 {
			text = labels[0] + " … " + labels[len(labels)-1]
		}
		explained := a.Help
		if a.Focus == keymap.Empty {
			explained = "in the empty input box: " + explained
		}
		if a.Command != "" {
			explained += " (" + a.Command + ")"
		}
		s := &all[len(all)-1]
		s.lines = append(s.lines, [2]string{text, explained})
	}
	return all
}

// Len implements [pager.Source].
func (h help) Len() int { return len(h.sections) }

// Mark implements [pager.Source].
func (h help) Mark(int) bool { return true }

// Rows implements [pager.Source].
func (h help) Rows(i, width int) []row.Row {
	s := h.sections[i]
	rows := []row.Row{row.Of(s.title, row.Heading).Cut(width)}
	column := 0
	for _, l := range s.lines {
		column = max(column, row.Width(l[0])+4)
	}
	column = min(column, max(width*2/5, 12))
	for _, l := range s.lines {
		rows = append(rows, explained(l[0], l[1], column, width)...)
	}
	if s.note != "" {
		rows = append(rows, row.Of("  "+s.note, row.Dim).Wrap(width, row.Text("  "))...)
	}
	return append(rows, nil)
}

// explained is a key or a command, and what it does in a column of its own.
func explained(name, text string, column, width int) []row.Row {
	head := row.Of("  "+name, row.Accent)
	indent := row.Text(strings.Repeat(" ", column))
	if head.Width() > column-2 {
		return append(head.Wrap(width, row.Text("  ")), indent.And(text, row.Plain).Wrap(width, indent)...)
	}
	return head.Pad(column).And(text, row.Plain).Wrap(width, indent)
}
