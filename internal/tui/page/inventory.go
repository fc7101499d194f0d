package page

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Agent is an agent that the session can call, or be led by.
type Agent struct {
	ID, Name, About string
	Source          string // builtin, user, project, a plugin
	Models          []string
	Tools           []string // nil: all
	Path            string   // of its file, "" if it has none
	Current         bool     // it is the main agent
}

// Agents lets the user choose the main agent.
func Agents(keys *keymap.Table, agents []Agent) *list.List {
	l := list.New(list.Config{
		Title: "Agents", Enter: "use", Keys: keys,
		Empty:   "There are no agents. Write one in .github/agents/NAME.agent.md.",
		Columns: []list.Column{{Dim: true}},
		Preview: func(id string, width int) []row.Row {
			a, _ := find(agents, id, func(a Agent) string { return a.ID })
			tools := strings.Join(a.Tools, ", ")
			if a.Tools == nil {
				tools = "all"
			}
			return described(a.Name, a.About, width, "source", a.Source, "model", strings.Join(a.Models, ", "), "tools", tools, "file", a.Path)
		},
	})
	items := make([]list.Item, len(agents))
	for i, a := range agents {
		items[i] = list.Item{ID: a.ID, Title: line(a.Name), Mark: mark(a.Current), Columns: []string{line(a.Source)}, Search: a.About}
	}
	l.Set(items)
	return l
}

// Skill is a skill that was found for the session.
type Skill struct {
	Name, About string
	Source      string // project, personal, plugin, builtin
	Command     string // the slash command that calls it, "" if there is none
	Path        string
	On          bool
}

// Skills shows the skills. The caller does ListChoose, which puts the command of the skill into the
// input box, and ListToggle.
func Skills(keys *keymap.Table) *list.List {
	return list.New(list.Config{
		Title: "Skills", Enter: "use", Keys: keys,
		Empty:   "There are no skills. Write one in .github/skills/NAME/SKILL.md.",
		Columns: []list.Column{{}, {Dim: true}},
		Actions: []list.Action{{Name: keymap.ListToggle, Text: "on or off"}},
	})
}

// SetSkills makes entries of skills.
func SetSkills(l *list.List, skills []Skill) {
	items := make([]list.Item, len(skills))
	for i, s := range skills {
		state, style := "on", row.Plain
		if !s.On {
			state, style = "off", row.Dim
		}
		items[i] = list.Item{ID: s.Name, Title: line(s.Name), Style: style, Columns: []string{state, line(s.Source)}, Search: s.About}
	}
	l.Preview = func(id string, width int) []row.Row {
		s, _ := find(skills, id, func(s Skill) string { return s.Name })
		return described(s.Name, s.About, width, "command", s.Command, "source", s.Source, "file", s.Path)
	}
	l.Set(items)
}

// described are a name, facts and a description.
func described(name, about string, width int, pairs ...string) []row.Row {
	rows := append(row.Of(line(name), row.Bold).Wrap(width, nil), facts(width, pairs...)...)
	if about == "" {
		return rows
	}
	return append(append(rows, nil), paragraphs(about, row.Plain, width)...)
}
