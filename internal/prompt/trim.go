package prompt

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Item is a message of a conversation, with the facts that compaction needs.
type Item struct {
	model.Message
	// Said is the user's own text in a user message, without added blocks.
	Said string
	// Earlier has the user's texts from the messages that a summary replaces.
	Earlier []string
	// Exit is the exit code of the command whose result the message is; nil for others.
	Exit *int
}

const (
	freshTurns = 4       // turns whose results are never removed, including the current one
	bulky      = 2 << 10 // minimum bytes of a result to be removed
)

// Trim replaces old, long results of tools: those of more than 2 KB, at least four turns
// back, where a turn is a message of the model with its results. A note in their place says
// what they were, and where the full result is if it was saved. freed is in bytes; if it is
// 0, items are returned unchanged. Trim changes no item in place, and trimming a trimmed
// conversation again changes nothing.
func Trim(items []Item) (trimmed []Item, freed int64) {
	return trim(items[:fresh(items)], items, bulky)
}

// fresh returns the index at which the last turns begin.
func fresh(items []Item) int {
	turns := 0
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].Role == model.RoleAssistant {
			if turns++; turns == freshTurns {
				return i
			}
		}
	}
	return 0
}

func trim(old, items []Item, limit int) (trimmed []Item, freed int64) {
	calls := map[string]model.ToolCall{} // the latest call of each id: ids are not unique
	for i, it := range old {
		if it.Role == model.RoleAssistant {
			for _, c := range it.ToolCalls {
				calls[c.ID] = c
			}
		}
		if it.Role != model.RoleTool || len(it.Content) <= limit {
			continue
		}
		note := removed(calls[it.ToolCallID], it)
		if len(note) >= len(it.Content) {
			continue
		}
		if trimmed == nil {
			trimmed = append([]Item{}, items...)
		}
		trimmed[i].Content = note
		freed += int64(len(it.Content) - len(note))
	}
	if trimmed == nil {
		return items, 0
	}
	return trimmed, freed
}

// Removed returns the note that replaces the result of a call, the result itself if that is not longer than
// the note.
func Removed(c model.ToolCall, result string, exit *int) string {
	note := removed(c, Item{Message: model.Message{Content: result}, Exit: exit})
	if len(note) >= len(result) {
		return result
	}
	return note
}

// removed returns the note that replaces a result.
func removed(c model.ToolCall, it Item) string {
	result := it.Content
	name := c.Name
	if name == "" {
		name = "a tool"
	}
	note := "[The output of " + name + " " + oneLine(c.Arguments, 200) + " (" + bytesShown(int64(len(result))) + ") was taken out to make room."
	if it.Exit != nil {
		note += fmt.Sprintf(" The command exited with exit code %d.", *it.Exit)
	}
	head := result[:min(len(result), 400)]
	if _, rest, ok := strings.Cut(head, "Saved to: "); ok {
		path, _, _ := strings.Cut(rest, "\n")
		return note + " All of it is in " + oneLine(path, maxLine) + "]"
	}
	return note + " Call the tool again if you need it.]"
}
