package modeltest

import (
	"fmt"
	"unicode/utf8"
)

// explain says how a request that matches no conversation differs from the conversation
// with which it has the longest common beginning.
func explain(live []string, stored [][]string) string {
	if len(stored) == 0 {
		return "the recording holds no conversations"
	}
	best, agreed := 0, -1
	for i, s := range stored {
		if n := common(live, s); n > agreed {
			best, agreed = i, n
		}
	}
	s := stored[best]
	where := fmt.Sprintf("conversation %d (%d messages), request of %d messages", best, len(s), len(live))
	switch {
	case agreed == len(live) && agreed < len(s):
		return fmt.Sprintf("%s: fits so far, but next comes no answer of the model:\n  stored:  %s", where, around(s[agreed], 0))
	case agreed == len(s):
		return fmt.Sprintf("%s: goes on after the recorded end:\n  request: %s", where, around(live[agreed], 0))
	}
	at := differAt(live[agreed], s[agreed])
	return fmt.Sprintf("%s: message %d differs at byte %d:\n  request: %s\n  stored:  %s",
		where, agreed, at, around(live[agreed], at), around(s[agreed], at))
}

// common returns how many messages at the beginning of two conversations are equal.
func common(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func differAt(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// around returns s near byte at: up to 60 before and 140 after.
func around(s string, at int) string {
	from, to := max(at-60, 0), min(at+140, len(s))
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to++
	}
	out := s[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(s) {
		out += "…"
	}
	return out
}
