package prompt

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Item is a message of a conversation, with what compaction has to know of it.
type Item struct {
	model.Message
	// Said is what a person wrote, of a message of theirs: without the blocks around
	// it.
	Said string
	// Earlier is what people had written before, of a message that is a summary.
	Earlier []string
}

const (
	freshTurns = 4       // turns whose results are never taken out, the current among them
	bulky      = 2 << 10 // bytes of a result that is worth taking out
)

// Trim takes the bulk out of results of tools that are old: longer than 2 KB and
// four turns back, where a turn is a message of the model with its results. In their
// place a note says what they were, and where all of it is if it was saved. freed is
// in bytes; with none freed, items are returned as they are. They are never changed
// in place, and what is trimmed stays the same when it is trimmed again.
func Trim(items []Item) (trimmed []Item, freed int64) {
	return trim(items[:fresh(items)], items, bulky)
}

// fresh is where the last turns begin.
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
	calls := map[string]model.ToolCall{} // the latest of each id: they are not unique
	for i, it := range old {
		if it.Role == model.RoleAssistant {
			for _, c := range it.ToolCalls {
				calls[c.ID] = c
			}
		}
		if it.Role != model.RoleTool || len(it.Content) <= limit {
			continue
		}
		note := removed(calls[it.ToolCallID], it.Content)
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

// removed stands for a result that was taken out.
func removed(c model.ToolCall, result string) string {
	name := c.Name
	if name == "" {
		name = "a tool"
	}
	note := "[The output of " + name + " " + oneLine(c.Arguments, 200) + " (" + bytesShown(int64(len(result))) + ") was taken out to make room."
	head := result[:min(len(result), 400)]
	if _, rest, ok := strings.Cut(head, "Saved to: "); ok {
		path, _, _ := strings.Cut(rest, "\n")
		return note + " All of it is in " + oneLine(path, maxLine) + "]"
	}
	return note + " Call the tool again if you need it.]"
}
