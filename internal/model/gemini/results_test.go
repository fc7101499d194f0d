package gemini_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
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
		{"https://generativelanguage.googleapis.com/v1beta", "gemini-3.8-flash", `{"functionResponse":{"name":"x","response":{"output":"1"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}},{"inlineData":{"mimeType":"application/pdf","data":"BB=="}}]}},{"functionResponse":{"name":"x","response":{"output":"2"}}}`},
		{"https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-pro", `"output":"2"}}}]},{"role":"user","parts":[{"text":"p"},{"inlineData"`},
	} {
		s := dialecttest.JSON(500, "{}")
		_, _, _ = dialecttest.Ask(t, gemini.New(), model.Endpoint{BaseURL: tc.base}, s, model.Request{Model: tc.model, Messages: messages})
		if !strings.Contains(s.Body, tc.want) {
			t.Errorf("%s gets %s\nwant %s", tc.base, s.Body, tc.want)
		}
	}
}
