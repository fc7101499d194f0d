// Package spelling finds the word that a mistyped one most likely stands for.
package spelling

import "strings"

// maxTypos is how many letters a mistyped word may differ in, as cobra has it for commands.
const maxTypos = 2

// Closest returns the word of a list that a mistyped one most likely stands for, "" if none
// is near. Upper and lower case count as equal. Among equally near words the first wins.
func Closest(typed string, words []string) string {
	best, nearest := "", maxTypos+1
	for _, w := range words {
		d := distance(strings.ToLower(typed), strings.ToLower(w))
		if d < nearest && d < len(w) {
			best, nearest = w, d
		}
	}
	return best
}

// distance is the number of letters to insert, to remove, to replace, or to exchange with
// the next one, that make b of a.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			changed := 1
			if a[i-1] == b[j-1] {
				changed = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
