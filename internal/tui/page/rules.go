package page

import (
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/tui/list"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Rule is a permission rule.
type Rule struct {
	Verdict string // the heading: "Allowed", "Denied", "Folders" …
	What    string // what it covers
	From    string // where it comes from
}

// Rules shows the permission rules. summary says what holds for what no rule covers. The caller
// does ListDelete, which forgets the approvals of the user for the session and for the folder.
func Rules(keys *keymap.Table, summary string, rules []Rule) *list.List {
	l := list.New(list.Config{
		Title: "Permission rules", Enter: "close", Keys: keys,
		Empty:   "There are no rules.",
		Columns: []list.Column{{Dim: true, Most: 40}},
		Preview: func(id string, width int) []row.Row {
			i, err := strconv.Atoi(id)
			if err != nil || i < 0 || i >= len(rules) {
				return nil
			}
			r := rules[i]
			rows := exposed(r.What, row.Bold, width)
			return append(append(rows, nil), facts(width, "verdict", r.Verdict, "from", r.From)...)
		},
		Actions: []list.Action{{Name: keymap.ListDelete, Text: "forget approvals", Twice: true, All: true}},
	})
	var items []list.Item
	for i, r := range rules {
		items = append(items, list.Item{
			ID: strconv.Itoa(i), Title: timeline.ExposedLine(r.What, lineWidth), Group: line(r.Verdict), Columns: []string{timeline.ExposedLine(r.From, lineWidth)},
		})
	}
	l.About = line(summary)
	l.Set(items)
	return l
}
