package chat_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// FuzzStream: whatever a server sends, the decoder neither panics nor makes two calls with one id,
// and what it has announced in pieces is what the answer has.
func FuzzStream(f *testing.F) {
	f.Add(`{"choices":[{"index":0,"delta":{"reasoning_content":"r"}}]}` + "\n" + `{"choices":[{"index":1,"delta":{"content":"a"},"finish_reason":"stop"}]}` + "\n[DONE]")
	f.Add(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"A","function":{"name":"x","arguments":"{"}}]}}]}` + "\n" +
		`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}},{"function":{"name":"y"}}]}}]}` + "\n[DONE]")
	f.Add(`{"type":"keepalive"}` + "\n" + `{"error":{"code":502,"message":"m"}}`)
	endpoint := model.Endpoint{BaseURL: "http://localhost/v1"}
	f.Fuzz(func(t *testing.T, lines string) {
		s := dialecttest.Events(strings.Split(lines, "\n")...)
		got, deltas, err := dialecttest.Ask(t, chat.New(), endpoint, s, model.Request{Model: "m", Stream: true})
		if err != nil {
			return
		}
		arguments, length := map[string]string{}, 0
		for _, d := range deltas {
			if d.Kind == model.DeltaToolCall {
				arguments[d.CallID] += d.Text
			} else if d.Kind == model.DeltaText {
				length += len(d.Text)
			}
		}
		if len(arguments) != len(got.ToolCalls) || length != len(got.Text) {
			t.Errorf("the pieces have %d calls and %d bytes of text, the answer %d and %d", len(arguments), length, len(got.ToolCalls), len(got.Text))
		}
		for _, c := range got.ToolCalls {
			if c.ID == "" || arguments[c.ID] != c.Arguments {
				t.Errorf("call %q has the arguments %q, the pieces %q", c.ID, c.Arguments, arguments[c.ID])
			}
		}
	})
}
