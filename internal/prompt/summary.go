package prompt

import (
	"strings"
)

// Summary is a model's answer to the request for a summary.
type Summary struct {
	// Text is the whole answer, which replaces the conversation; empty if there was none.
	Text string
	// Title is a few words, never empty.
	Title string
}

// ParseSummary reads an answer. Missing elements are not an error; only the text is
// required.
func ParseSummary(answer string) Summary {
	text := strings.TrimSpace(answer)
	if inner, ok := strings.CutPrefix(text, "<summary>"); ok {
		text = strings.TrimSpace(strings.TrimSuffix(inner, "</summary>"))
	}
	s := Summary{Text: text, Title: oneLine(element(text, "checkpoint_title"), 60)}
	if s.Title == "" {
		s.Title = oneLine(firstLine(element(text, "overview")), 60)
	}
	if s.Title == "" {
		s.Title = "Checkpoint"
	}
	return s
}

// element returns the content of the first element of that name, even if the element has no
// end; "" if there is none.
func element(text, tag string) string {
	_, rest, ok := strings.Cut(text, "<"+tag+">")
	if !ok {
		return ""
	}
	inner, _, _ := strings.Cut(rest, "</"+tag+">")
	return strings.TrimSpace(inner)
}
