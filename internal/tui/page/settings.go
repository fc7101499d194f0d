package page

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Setting is a setting as it is in force.
type Setting struct {
	Key, Value, From string
	About            string // what it is for, and what it can be
	Set              bool   // something has set it
}

// Settings shows the settings, and where each comes from. about says what a change counts for. The caller does
// ListChoose, which lets the user change the setting.
func Settings(keys *keymap.Table, about string, settings []Setting) *list.List {
	l := list.New(list.Config{
		Title: "Settings", Enter: "change", Keys: keys,
		Empty:   "There are no settings.",
		Columns: []list.Column{{Most: 30}, {Dim: true, Most: 40, Front: true}},
		Preview: func(id string, width int) []row.Row {
			s, _ := find(settings, id, func(s Setting) string { return s.Key })
			return append(row.Of(line(s.Key), row.Bold).Wrap(width, nil), paragraphs(s.About, row.Plain, width)...)
		},
	})
	items := make([]list.Item, len(settings))
	for i, s := range settings {
		style := row.Dim
		if s.Set {
			style = row.Plain
		}
		items[i] = list.Item{ID: s.Key, Title: line(s.Key), Style: style, Columns: []string{line(s.Value), line(s.From)}, Search: s.About}
	}
	l.About = line(about)
	l.Set(items)
	return l
}

// Instruction is a file with instructions for the model.
type Instruction struct {
	ID   string // the path for the editor
	Name string // the path to show
	When string // when the model reads it
	Text string
	New  bool // it is not there yet
}

// Instructions shows the files with instructions. The caller does ListChoose, which opens the file in the editor.
func Instructions(keys *keymap.Table, files []Instruction) *list.List {
	l := list.New(list.Config{
		Title: "Files with instructions", Enter: "edit", Keys: keys,
		Empty:   "There are no files with instructions. /init has the agent write AGENTS.md.",
		Columns: []list.Column{{Dim: true}},
		Preview: func(id string, width int) []row.Row {
			f, _ := find(files, id, func(f Instruction) string { return f.ID })
			return described(f.Name, strings.TrimSpace(f.Text), width, "read", f.When, "file", f.ID)
		},
	})
	items := make([]list.Item, len(files))
	for i, f := range files {
		items[i] = list.Item{ID: f.ID, Title: line(f.Name), Columns: []string{line(f.When)}, Search: f.Text}
		if f.New {
			items[i].Style, items[i].Enter = row.Dim, "write"
		}
	}
	l.About = "What is changed counts from your next message on."
	l.Set(items)
	return l
}
