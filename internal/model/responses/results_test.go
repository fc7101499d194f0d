package responses_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
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
		{"https://api.openai.com/v1", "m", `{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"1"},{"type":"input_text","text":"p"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA=="},{"type":"input_text","text":"q"},{"type":"input_file","filename":"q.pdf","file_data":"data:application/pdf;base64,BB=="}]},{"type":"function_call_output","call_id":"b","output":"2"}`},
		{"http://127.0.0.1:1/v1", "m", `"output":"2"},{"type":"message","role":"user","content":[{"type":"input_text","text":"p"}`},
	} {
		s := dialecttest.JSON(500, "{}")
		_, _, _ = dialecttest.Ask(t, responses.New(), model.Endpoint{BaseURL: tc.base}, s, model.Request{Model: tc.model, Messages: messages})
		if !strings.Contains(s.Body, tc.want) {
			t.Errorf("%s gets %s\nwant %s", tc.base, s.Body, tc.want)
		}
	}
}
