package modeltest

import (
	"fmt"
	"slices"
)

// renumber gives tool calls the ids toolcall_0… by first appearance.
func renumber(list []Message) {
	ids := map[string]string{}
	for i := range list {
		for j := range list[i].ToolCalls {
			id := &list[i].ToolCalls[j].ID
			if ids[*id] == "" {
				ids[*id] = fmt.Sprintf("toolcall_%d", len(ids))
			}
			*id = ids[*id]
		}
		if id := ids[list[i].ToolCallID]; id != "" {
			list[i].ToolCallID = id
		}
	}
}

// orderResults sorts consecutive tool messages by call number, because parallel tools
// finish in any order.
func orderResults(list []Message) {
	for start := 0; start < len(list); start++ {
		end := start
		for end < len(list) && list[end].Role == "tool" {
			end++
		}
		slices.SortStableFunc(list[start:end], func(a, b Message) int {
			return callNumber(a.ToolCallID) - callNumber(b.ToolCallID)
		})
		start = max(start, end)
	}
}

func callNumber(id string) (n int) {
	_, _ = fmt.Sscanf(id, "toolcall_%d", &n) // another id counts as 0
	return n
}

// key is a message as one string; empty content equals none.
func key(m Message) string {
	return encode(struct {
		Role    string     `json:"role"`
		Answers string     `json:"tool_call_id,omitempty"`
		Content string     `json:"content,omitempty"`
		Calls   []ToolCall `json:"tool_calls,omitempty"`
	}{m.Role, m.ToolCallID, m.Content, m.ToolCalls})
}
