package list

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/complete"
)

// entry is a row of the list: an item with the bytes of its title that the filter has matched, or
// the heading of a group.
type entry struct {
	item    int // -1 for a heading
	heading string
	at      []int
	score   int
}

// fitting are the entries for the filter. With a filter the best come first, group by group.
func (l *List) fitting() []entry {
	words := strings.Fields(l.filter.Text())
	var groups [][]entry
	for i := range l.items {
		e, ok := fit(words, &l.items[i])
		if !ok {
			continue
		}
		e.item = i
		if n := len(groups); n == 0 || l.items[groups[n-1][0].item].Group != l.items[i].Group {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], e)
	}
	if len(words) > 0 {
		for _, g := range groups {
			slices.SortStableFunc(g, better)
		}
		slices.SortStableFunc(groups, func(a, b []entry) int { return better(a[0], b[0]) })
	}
	var all []entry
	for _, g := range groups {
		if name := l.items[g[0].item].Group; name != "" {
			all = append(all, entry{item: -1, heading: name})
		}
		all = append(all, g...)
	}
	return all
}

// whole is what it is worth that a word is in the title as it is: more than the beginnings of
// words, which complete.Score prefers, because titles are sentences.
const whole = 100

func better(a, b entry) int { return b.score - a.score }

// fit reports whether an item has every word: in the title, with other characters between those of
// the word, or as it is in the columns and the text to search.
func fit(words []string, it *Item) (e entry, ok bool) {
	if len(words) == 0 {
		return entry{}, true
	}
	if it.Fixed {
		return entry{}, false
	}
	var rest string
	for _, w := range words {
		score, at, ok := complete.Score(w, it.Title)
		if !ok {
			if rest == "" {
				rest = strings.ToLower(strings.Join(it.Columns, "\n") + "\n" + it.Search)
			}
			if !strings.Contains(rest, strings.ToLower(w)) {
				return entry{}, false
			}
		}
		if strings.Contains(strings.ToLower(it.Title), strings.ToLower(w)) {
			score += whole
		}
		e.score += score
		e.at = append(e.at, at...)
	}
	slices.Sort(e.at)
	return e, true
}
