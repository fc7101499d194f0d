package page

import (
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/markdown"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Todo is an entry of the agent's own list.
type Todo struct {
	ID, Text string
	State    string // pending, in_progress, done, blocked
}

// Task is an agent or a command that works in the background.
type Task struct {
	ID      string
	Job     bool   // it is a command, else an agent
	Title   string // the command, or what the agent is to do
	State   string // running, idle, completed, failed, cancelled
	Kind    string // of an agent, such as explore; "" for a command
	Model   string
	Started time.Time
	Ended   time.Time // zero while it works
	Output  string    // the last output of a command, or the latest answer of an agent, in Markdown
	Err     string
}

// Tasks shows what the agent has planned, and what works in the background. The caller does
// ListDelete, which stops a task, and ListChoose, which opens all of its output in the pager.
func Tasks(keys *keymap.Table) *list.List {
	return list.New(list.Config{
		Title: "To-dos, agents and jobs", Enter: "read", Keys: keys,
		Empty:   "There are no to-dos, and no agents and commands work in the background.",
		Columns: []list.Column{{}, {Right: true, Dim: true}, {Dim: true}},
		Actions: []list.Action{{Name: keymap.ListDelete, Text: "stop", Twice: true}},
	})
}

// SetTasks makes entries of to-dos and tasks.
func SetTasks(l *list.List, todos []Todo, tasks []Task, now time.Time) {
	var items []list.Item
	for _, t := range todos {
		style := row.Plain
		if t.State == "done" {
			style = row.Dim
		}
		items = append(items, list.Item{ID: "todo " + t.ID, Title: todoMark(t.State) + " " + line(t.Text), Group: "To-dos", Style: style, Fixed: true})
	}
	for _, job := range []bool{false, true} {
		for _, t := range tasks {
			if t.Job == job {
				items = append(items, taskItem(t, now))
			}
		}
	}
	l.Preview = func(id string, width int) []row.Row {
		t, ok := find(tasks, id, func(t Task) string { return t.ID })
		if !ok {
			return nil
		}
		return taskPreview(t, width)
	}
	l.Set(items)
}

func todoMark(state string) string {
	switch state {
	case "done":
		return "✓"
	case "in_progress":
		return "›"
	case "blocked":
		return "!"
	}
	return "·"
}

func taskItem(t Task, now time.Time) list.Item {
	group, style := "Agents", row.Plain
	title := line(t.Title)
	if t.Job {
		group, title = "Commands in the background", timeline.ExposedLine(t.Title, lineWidth)
	}
	switch {
	case t.State == "failed" || t.Err != "":
		style = row.Failure
	case !t.Ended.IsZero():
		style = row.Dim
	}
	until := now
	if !t.Ended.IsZero() {
		until = t.Ended
	}
	return list.Item{ID: t.ID, Title: title, Group: group, Style: style, Columns: []string{line(t.State), timeline.Age(t.Started, until), line(t.Kind)}, Search: t.ID}
}

func taskPreview(t Task, width int) []row.Row {
	rows := facts(width, "id", t.ID, "agent", t.Kind, "model", t.Model)
	if t.Job {
		rows = append(rows, exposed("$ "+t.Title, row.Bold, width)...)
	} else {
		rows = append(rows, paragraphs(t.Title, row.Bold, width)...)
	}
	if t.Err != "" {
		rows = append(append(rows, nil), paragraphs(t.Err, row.Failure, width)...)
	}
	if t.Output == "" {
		return rows
	}
	rows = append(rows, nil)
	if t.Job {
		return append(rows, paragraphs(t.Output, row.Plain, width)...)
	}
	return append(rows, markdown.Rows(t.Output, width)...)
}
