package page

import (
	"fmt"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/markdown"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Session is a stored session.
type Session struct {
	ID       string
	Short    string // the shortest beginning of the ID that no other session has
	Title    string
	Folder   string // where it works, with ~ for the home folder
	Branch   string
	Modified time.Time
	Messages int    // of the user; 0 if it is not known
	Size     string // of its log
	Text     string // what the search finds besides: texts of its messages
	Current  bool   // it is the one that is open
}

// SessionView says which sessions are listed, in the words of the heading.
type SessionView string

// The views of the list of sessions. sessionViews has their order, and app/front/pick_sessions.go (found) chooses
// the sessions of each.
const (
	ThisFolder SessionView = "this folder"
	AllFolders SessionView = "all folders"
)

var sessionViews = [...]SessionView{ThisFolder, AllFolders}

// Next is the view that ListView changes to.
func (v SessionView) Next() SessionView {
	return sessionViews[(slices.Index(sessionViews[:], v)+1)%len(sessionViews)]
}

// Exchange is the end of a conversation.
type Exchange struct {
	Asked       string // the last message of the user
	Answer      string // the text of the model since, in Markdown
	Calls       int    // tool calls since
	Earlier     int    // messages of the user before
	Interrupted string // what was cut off, "" if nothing was
	Err         string // why the session cannot be read
}

// Sessions lets the user choose a session. exchange returns the end of a conversation; ok is false
// while it is being read, and the caller calls Refresh of the list when it is there. The caller
// does ListChoose, ListDelete, ListRename, and ListView, which changes to [SessionView.Next].
func Sessions(keys *keymap.Table, exchange func(id string) (e Exchange, ok bool)) *list.List {
	return list.New(list.Config{
		Title: "Sessions", Enter: "resume", Keys: keys,
		Empty:   "There is no session here yet. Write a message to begin one.",
		Columns: []list.Column{{Right: true, Dim: true}, {Dim: true}, {Dim: true, Most: 40, Front: true}, {Right: true, Dim: true}},
		Preview: func(id string, width int) []row.Row {
			e, ok := exchange(id)
			if !ok {
				return []row.Row{row.Of("reading…", row.Dim)}
			}
			return exchanged(e, width)
		},
		Actions: []list.Action{
			{Name: keymap.ListView, Text: "folder or all", All: true},
			{Name: keymap.ListRename, Text: "rename", Ask: "new title"},
			{Name: keymap.ListDelete, Text: "delete", Twice: true},
		},
	})
}

// SessionItems are the entries of sessions, in their order.
func SessionItems(sessions []Session, now time.Time) []list.Item {
	items := make([]list.Item, len(sessions))
	for i, s := range sessions {
		size := s.Size
		if s.Messages > 0 {
			size = count(s.Messages, "message", "messages")
		}
		title := line(s.Title)
		if title == "" {
			title = "(no title)"
		}
		items[i] = list.Item{
			ID: s.ID, Title: title, Mark: mark(s.Current),
			Columns: []string{timeline.Age(s.Modified, now), line(s.Short), timeline.ExposedLine(s.Folder, lineWidth), size}, Search: s.ID + "\n" + s.Folder + "\n" + s.Branch + "\n" + s.Text,
		}
	}
	return items
}

// exchanged are the rows of the end of a conversation.
func exchanged(e Exchange, width int) (rows []row.Row) {
	if e.Err != "" {
		return paragraphs(e.Err, row.Failure, width)
	}
	if e.Earlier > 0 {
		rows = append(rows, row.Of(count(e.Earlier, "earlier message", "earlier messages"), row.Dim), nil)
	}
	for i, r := range paragraphs(e.Asked, row.Plain, max(width-2, 2)) {
		lead := "  "
		if i == 0 {
			lead = "› "
		}
		rows = append(rows, row.Of(lead, row.Accent).Join(r))
	}
	if e.Calls > 0 {
		rows = append(rows, nil, row.Of(count(e.Calls, "tool call", "tool calls"), row.Dim))
	}
	if e.Answer != "" {
		rows = append(rows, nil)
		rows = append(rows, markdown.Rows(e.Answer, width)...)
	}
	if e.Interrupted != "" {
		rows = append(rows, nil)
		rows = append(rows, paragraphs(fmt.Sprintf("Interrupted: %s", timeline.OneLine(e.Interrupted, lineWidth)), row.Warning, width)...)
	}
	return rows
}
