package anthropic_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// Pictures and documents are part of the result where the server takes them there, and follow all
// results elsewhere.
func TestFilesOfResults(t *testing.T) {
	messages := []model.Message{
		{Role: model.RoleUser, Content: "hi"},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "x"}, {ID: "b", Name: "x"}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "1", Parts: []model.Part{
			{Text: "p"},
			{ImageURL: "data:image/png;base64,AA=="},
			{Text: "q"},
			{Document: &model.Document{Name: "q.pdf", MediaType: "application/pdf", Data: "BB=="}},
		}},
		{Role: model.RoleTool, ToolCallID: "b", Content: "2"},
	}
	for _, tc := range []struct{ base, model, want string }{
		{"https://api.anthropic.com", "m", `{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"1"},{"type":"text","text":"p"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},{"type":"text","text":"q"},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"BB=="},"title":"q.pdf"}]},{"type":"tool_result","tool_use_id":"b","content":"2"`},
		{"http://127.0.0.1:1", "m", `"tool_use_id":"b","content":"2"},{"type":"text","text":"p"},{"type":"image"`},
	} {
		s := dialecttest.JSON(500, "{}")
		_, _, _ = dialecttest.Ask(t, anthropic.New(), model.Endpoint{BaseURL: tc.base}, s, model.Request{Model: tc.model, Messages: messages})
		if !strings.Contains(s.Body, tc.want) {
			t.Errorf("%s gets %s\nwant %s", tc.base, s.Body, tc.want)
		}
	}
}
