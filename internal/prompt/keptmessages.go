package prompt

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// fit shortens items to a budget in bytes. It removes old results first, then pictures, then
// all results, then the oldest messages; a call is never kept without its results.
func fit(items []Item, budget int64) (kept []Item, leftOut int) {
	if budget <= 0 {
		return items, 0
	}
	for _, shorten := range []func([]Item) []Item{
		func(items []Item) []Item { return items },
		func(items []Item) []Item { items, _ = Trim(items); return items },
		blind,
		func(items []Item) []Item { items, _ = trim(items, items, 300); return items },
	} {
		if items = shorten(items); bulk(items) <= budget {
			return items, 0
		}
	}
	for left := bulk(items); left > budget; {
		n := 1
		for n < len(items) && items[n].Role == model.RoleTool {
			n++
		}
		left -= bulk(items[:n])
		items, leftOut = items[n:], leftOut+n
	}
	return items, leftOut
}

// blind removes the pictures.
func blind(items []Item) []Item {
	var out []Item
	for _, it := range items {
		if seen := Visible([]model.Message{it.Message}, Sight{}); len(seen) == 1 {
			it.Message = seen[0]
			out = append(out, it)
		}
	}
	return out
}

func bulk(items []Item) int64 {
	var n int64
	for i := range items {
		bytes, pictures := weigh(&items[i].Message)
		n += bytes + pictures*pictureTokens*4
	}
	return n
}

const (
	maxSaid   = 64 << 10  // bytes of the user's messages that are kept unchanged
	maxLast   = 256 << 10 // bytes of the last message
	maxShort  = 50        // messages that are kept in part
	shortSaid = 300       // bytes of each of those
)

// KeptMessages is what stays of the users' messages in a conversation that is summarized, in
// their order: the last message whole, unless it has more than half of the window,
// and as many of those before it as fit a quarter. Those that do not are cut in
// their middle, as many as fit an eighth, and the oldest are counted. window is in tokens, 0 if it is not
// known; the same words and window give the same, so that a log need not say it.
func KeptMessages(said []string, window int64) []string {
	if len(said) == 0 {
		return nil
	}
	room, whole, parts := maxSaid, maxLast, maxShort
	if window > 0 { // a token has about four bytes
		room, whole, parts = int(min(window, maxSaid)), int(min(2*window, maxLast)), int(min(window/2/shortSaid, maxShort))
	}
	last := middle(said[len(said)-1], whole)
	out := []string{last}
	short := 0
	for i := len(said) - 2; i >= 0; i-- {
		text := said[i]
		if len(text) > room {
			if short++; short > parts {
				out = append(out, fmt.Sprintf("[%d earlier messages are left out.]", i+1))
				break
			}
			text = middle(text, shortSaid)
		}
		room -= len(text)
		out = append(out, text)
	}
	slices.Reverse(out)
	return out
}

// Middle removes the middle of a text, so that about limit bytes remain, and says how many bytes it has removed.
func Middle(text string, limit int) string { return middle(text, max(limit, 0)) }

// middle removes the middle of a text, so that about limit bytes remain.
func middle(text string, limit int) string {
	if len(text) <= limit+64 {
		return text
	}
	head, tail := text[:limit/2], text[len(text)-limit/2:]
	for len(head) > 0 && !utf8.RuneStart(text[len(head)]) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return head + fmt.Sprintf("\n[%d bytes are left out here.]\n", len(text)-len(head)-len(tail)) + tail
}
