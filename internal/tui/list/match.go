package list

import "strings"

// match stands in for complete.Score until that is on main.
func match(word, text string) (score int, at []int, ok bool) {
	lower := strings.ToLower(text)
	from := 0
	for _, c := range strings.ToLower(word) {
		i := strings.IndexRune(lower[from:], c)
		if i < 0 {
			return 0, nil, false
		}
		at = append(at, from+i)
		if i == 0 {
			score += 10
		}
		from += i + len(string(c))
	}
	return score, at, true
}
