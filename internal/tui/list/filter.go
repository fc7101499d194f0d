package list

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/complete"
)

// entry is a row of the list: an item, or the heading of a group.
type entry struct {
	item    int // -1 for a heading
	heading string
	score   int
}

// word is a word of the filter.
type word struct {
	small string
	query complete.Query
}

// words are the words of the filter.
func (l *List) words() (all []word) {
	for w := range strings.FieldsSeq(l.filter.Text()) {
		all = append(all, word{strings.ToLower(w), complete.NewQuery(w)})
	}
	return all
}

// fitting are the entries for the filter. With a filter the best come first, group by group.
func (l *List) fitting() []entry {
	words := l.words()
	var groups [][]entry
	for i := range l.items {
		score, ok := fit(words, &l.items[i])
		if !ok {
			continue
		}
		if n := len(groups); n == 0 || l.items[groups[n-1][0].item].Group != l.items[i].Group {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, entry{item: i, score: score})
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
// words, which complete.Query prefers, because titles are sentences.
const whole = 100

func better(a, b entry) int { return b.score - a.score }

// fit reports whether an item has every word: in the title, with other characters between those of
// the word, or as it is in the columns and the text to search.
func fit(words []word, it *Item) (score int, ok bool) {
	if len(words) == 0 {
		return 0, true
	}
	if it.Fixed {
		return 0, false
	}
	title, rest := strings.ToLower(it.Title), ""
	for _, w := range words {
		n, ok := w.query.Score(it.Title)
		switch {
		case ok && strings.Contains(title, w.small):
			n += whole
		case !ok:
			if rest == "" {
				rest = strings.ToLower(strings.Join(it.Columns, "\n") + "\n" + it.Search)
			}
			if !strings.Contains(rest, w.small) {
				return 0, false
			}
		}
		score += n
	}
	return score, true
}

// found are the bytes of a title where the words of the filter are.
func found(words []word, title string) (at []int) {
	for _, w := range words {
		at = append(at, w.query.At(title)...)
	}
	slices.Sort(at)
	return at
}
