package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Turn is a message of the user to which the session can be rewound: it and all that follows is
// removed from the conversation.
type Turn struct {
	Number         int // from 1, the first message of the session
	Text           string
	At             time.Time
	Files          int  // that this turn and later ones have changed
	Restorable     bool // a rewind can restore one of them
	Added, Removed int  // lines, by this turn
}

// Restored is a file that a rewind restores.
type Restored struct {
	Path           string
	Change         string // what the agent did: created, modified or deleted
	Added, Removed int    // lines
}

// Preview is what a rewind does to the files. ok of the function that returns it is false while it
// is being found out.
type Preview struct {
	Files    []Restored
	Commands Commands // that ran since
	Err      string
}

// Commands are commands of the shell that may have changed files, which the session does not know. The
// zero value is that there are none.
type Commands struct {
	Note  string // a sentence without its end
	Texts []string
	More  string // how many are not named
}

// rows name the commands.
func (c Commands) rows(width int) (rows []row.Row) {
	if c.Note == "" {
		return nil
	}
	rows = paragraphs(c.Note+":", row.Warning, width)
	for _, text := range c.Texts {
		rows = append(rows, row.Of("  $ ", row.Dim).And(line(text), row.Plain).Wrap(width, row.Text("    "))...)
	}
	if c.More != "" {
		rows = append(rows, row.Of("  "+c.More, row.Dim))
	}
	return rows
}

// line names the first commands in one line.
func (c Commands) line() string {
	if c.Note == "" {
		return ""
	}
	text := c.Note + ": " + strings.Join(c.Texts[:min(len(c.Texts), namedCommands)], "; ")
	if c.More != "" || len(c.Texts) > namedCommands {
		text += "; …"
	}
	return line(text)
}

// namedCommands is how many commands are named in one line.
const namedCommands = 3

// Rewind lets the user choose a message, the last one first. The ID of an entry is the number of its
// turn. preview returns what a rewind to it does; ok is false while that is being found out, and the
// caller calls Refresh of the list then. note says what a rewind cannot do, "" for nothing. After
// ListChoose the caller asks with [RewindChoices] what is to be rewound.
func Rewind(keys *keymap.Table, turns []Turn, note string, preview func(number int) (p Preview, ok bool), now time.Time) *list.List {
	l := list.New(list.Config{
		Title: "Rewind to before a message", Enter: "rewind…", Keys: keys,
		Empty:   "There is no message to rewind to.",
		Columns: []list.Column{{Right: true, Dim: true}, {Right: true}, {Right: true, Dim: true}},
		Preview: func(id string, width int) []row.Row {
			n, _ := strconv.Atoi(id)
			t, _ := find(turns, id, func(t Turn) string { return strconv.Itoa(t.Number) })
			p, ok := preview(n)
			return rewindPreview(t, len(turns), p, ok, width)
		},
	})
	l.About = line(note)
	var items []list.Item
	for _, t := range slices.Backward(turns) {
		files := ""
		if t.Files > 0 {
			files = count(t.Files, "file", "files")
		}
		items = append(items, list.Item{
			ID: strconv.Itoa(t.Number), Title: line(t.Text), Columns: []string{timeline.Age(t.At, now), files, changed(t.Added, t.Removed)}, Search: t.Text,
		})
	}
	l.Set(items)
	return l
}

func rewindPreview(t Turn, last int, p Preview, ok bool, width int) []row.Row {
	rows := paragraphs("Removes from the conversation: this message and "+after(last-t.Number)+".", row.Plain, width)
	rows = append(rows, nil)
	switch {
	case !ok:
		return append(rows, row.Of("finding out which files change…", row.Dim))
	case p.Err != "":
		return append(rows, paragraphs(p.Err, row.Failure, width)...)
	case len(p.Files) == 0:
		rows = append(rows, paragraphs("No file is restored.", row.Plain, width)...)
	default:
		rows = append(rows, paragraphs("'Conversation and files' restores "+count(len(p.Files), "file", "files")+":", row.Plain, width)...)
	}
	for _, f := range p.Files {
		r := row.Of("  "+undone(f.Change)+"  ", row.Dim).And(timeline.ExposedLine(f.Path, lineWidth), row.Plain).And("  "+changed(f.Removed, f.Added), row.Dim)
		rows = append(rows, r.Wrap(width, row.Text("    "))...)
	}
	rows = append(rows, p.Commands.rows(width)...)
	return append(append(rows, nil), paragraphs(t.Text, row.Dim, width)...)
}

// undone is what happens to a file that the agent has changed in some way.
func undone(change string) string {
	switch change {
	case "created", "added":
		return "deletes "
	case "deleted":
		return "makes   "
	}
	return "restores"
}

func after(n int) string {
	if n <= 0 {
		return "its answer"
	}
	return "all that follows, with " + count(n, "later message", "later messages")
}

// The IDs of [RewindChoices].
const (
	RewindBoth         = "both"
	RewindConversation = "conversation"
)

// RewindChoices asks what a rewind to a message is to change, and says which files. Nothing is
// rewound before the user has chosen.
func RewindChoices(keys *keymap.Table, t Turn, p Preview) *list.List {
	var choices []Choice
	if len(p.Files) > 0 && t.Restorable {
		choices = append(choices, Choice{ID: RewindBoth, Title: "Conversation and files", About: "change " + count(len(p.Files), "file", "files")})
	}
	choices = append(choices, Choice{ID: RewindConversation, Title: "Conversation only", About: "the files stay as they are"})
	l := Choices(keys, "Rewind to before: "+timeline.OneLine(t.Text, 60), choices)
	l.About = fileList(p)
	return l
}

// namedFiles is how many files are named before the user rewinds; the list before has all.
const namedFiles = 8

// fileList says which files a rewind changes.
func fileList(p Preview) string {
	if p.Err != "" {
		return line(p.Err)
	}
	var names []string
	for i, f := range p.Files {
		if i == namedFiles {
			names = append(names, "and "+timeline.Count(int64(len(p.Files)-i))+" more")
			break
		}
		names = append(names, strings.TrimSpace(undone(f.Change))+" "+timeline.ExposedLine(f.Path, lineWidth))
	}
	if len(names) == 0 {
		return strings.TrimSpace("No file is restored. " + p.Commands.line())
	}
	return strings.TrimSpace("'Conversation and files' " + strings.Join(names, ", ") + ". " + p.Commands.line())
}
