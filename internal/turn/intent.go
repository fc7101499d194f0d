package turn

import (
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// maxIntent bounds an intent, in runes: a line of a status bar.
const maxIntent = 80

// intent returns what a model that calls tools is about to do: the description of its
// first call that has one, otherwise the beginning of its message. It costs no model call.
// Empty if there is neither.
func intent(resp *model.Response) string {
	if len(resp.ToolCalls) == 0 {
		return ""
	}
	for _, c := range resp.ToolCalls {
		var args struct {
			Description string `json:"description"`
		}
		if json.Unmarshal([]byte(c.Arguments), &args) == nil && args.Description != "" {
			return short(args.Description)
		}
	}
	return short(resp.Text)
}

// short returns the first line of a text, or its first sentence if that is shorter.
func short(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if end := strings.Index(line, ". "); end > 0 {
		line = line[:end]
	}
	line = strings.TrimRight(strings.TrimSpace(line), ".:")
	if runes := []rune(line); len(runes) > maxIntent {
		return strings.TrimSpace(string(runes[:maxIntent-1])) + "…"
	}
	return line
}
