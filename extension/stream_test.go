package extension_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
)

// model returns a chunk of a model's own stream.
func model(choice string) string {
	return `data: {"id":"other-1","object":"chat.completion.chunk","choices":[{"index":0,` + choice + "}]}\n\n"
}

func TestStream(t *testing.T) {
	a := model(`"delta":{"content":"a"},"finish_reason":null`)
	for _, tc := range []struct {
		name, stream, want, err string
	}{
		{
			"a model's answer",
			model(`"delta":{"role":"assistant","content":""}`) + a + model(`"delta":{"content":"\u003cb>"}`) + model(`"delta":{},"finish_reason":"stop"`) + "data: [DONE]\n\n",
			textChunk(`"a"`) + textChunk(`"\u003cb>"`), "",
		},
		{"without the mark of the end", a + model(`"delta":{"content":null},"finish_reason":"length"`), textChunk(`"a"`), ""},
		{"without a reason", a + "data: [DONE]\n\n", textChunk(`"a"`), ""},
		{"what comes after the end", a + "data: [DONE]\n\n" + a + "data: [DONE]\n\n", textChunk(`"a"`), ""},
		{"text beside the reason", model(`"delta":{"content":"a"},"finish_reason":"stop"`), textChunk(`"a"`), ""},
		{"filters, usage, comments and nothing", `data: {"choices":[],"usage":{}}` + "\n\n: ping\n\ndata:\n\nevent: x\n" + a + "data: {\"choices\":null}\n\ndata: [DONE]\n\n", textChunk(`"a"`), ""},
		{"other choices", `data: {"choices":[{"index":1,"delta":{"content":"x"}},{"delta":{"content":"a"}}]}` + "\n\ndata: [DONE]\n\n", textChunk(`"a"`), ""},
		{"a delta that says more", model(`"delta":{"content":"", "tool_calls":[{"index":0}]}`) + "data: [DONE]\n\n", chunk(`{"content":"", "tool_calls":[{"index":0}]}`, "null"), ""},
		{"a message in place of a delta", model(`"message":{"role":"assistant","content":"a"},"finish_reason":"stop"`), chunk(`{"role":"assistant","content":"a"}`, "null"), ""},
		{"JSON of several lines", "data: {\"choices\":[{\"delta\":\ndata: {\"content\":\ndata: \"a\"}}]}\n\ndata: [DONE]\n\n", textChunk(`"a"`), ""},
		{"CRLF and bytes that are not UTF-8", "data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\r\n\r\ndata: [DONE]\r\n\r\n", textChunk("\"\uFFFD\""), ""},

		{
			"a character in two deltas", model("\"delta\":{\"content\":\"a\xf0\x9f\"}") + model("\"delta\":{\"content\":\"\x98\"}") + model("\"delta\":{\"content\":\"\x80b\", \"x\":1}") + "data: [DONE]\n\n",
			textChunk(`"a"`) + chunk(`{"content":"😀b","x":1}`, "null"), "",
		},
		{
			"a pair of escapes in two deltas", model(`"delta":{"content":"\u0061\ud83d"}`) + model(`"delta":{"content":"\ude00\n"}`) + model(`"delta":{"content":"\ud83d\ude00"}`) + "data: [DONE]\n\n",
			textChunk(`"a"`) + textChunk(`"😀\n"`) + textChunk(`"\ud83d\ude00"`), "",
		},
		{"half a character", model(`"delta":{"content":"\ud83d"}`) + "data: [DONE]\n\n", textChunk("\"\uFFFD\""), ""},

		{"nothing", "", "", "ended before its answer did"},
		{"a stream that is cut off", a, textChunk(`"a"`), "ended before its answer did"},
		{"within an event", a + "data: {", textChunk(`"a"`), "unexpected EOF"},
		{"an error of the model", a + `data: {"error":{"message":"too many tokens"}}` + "\n\n", textChunk(`"a"`), "the model failed: too many tokens"},
		{"of another form", `data: {"error":"overloaded"}` + "\n\n", "", `the model failed: "overloaded"`},
		{"no JSON", a + "data: Something went wrong\n\n", textChunk(`"a"`), "not a chunk: Something went wrong"},
		{"no SSE", `{"error":{"message":"no such model"}}`, "", "unexpected EOF"},
		{"too large a delta", model(`"delta":{"content":"` + strings.Repeat("x", 1<<20-150) + `"},"finish_reason":"stop"`), "", "are read at once"},
		{"too large an event", "data: " + strings.Repeat("x", 1<<20) + "\n\n", "", "longer than"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var err error
			h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
				_, _ = w.Write([]byte("before\xc3"))
				err = w.Stream(iotest.HalfReader(strings.NewReader(tc.stream)))
				return w.Text("after")
			}, quiet)
			body := postBody(t, h, hello).Body.String()
			if diff := cmp.Diff(ack+textChunk(`"before"`)+textChunk("\"\uFFFD\"")+tc.want+textChunk(`"after"`)+end, still(t, body)); diff != "" {
				t.Error(diff)
			}
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
				t.Errorf("Stream = %v, want %q", err, tc.err)
			}
		})
	}
}

func TestAModelThatBreaksOff(t *testing.T) {
	lost := errors.New("connection lost")
	h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		if _, err := w.Write([]byte("\xc3")); err != nil {
			return err
		}
		return w.Stream(iotest.TimeoutReader(iotest.OneByteReader(iotest.ErrReader(lost))))
	}, quiet)
	want := ack + textChunk("\"\uFFFD\"") + eventOf("copilot_errors", `[{"type":"agent","code":"failed","message":"connection lost","identifier":"ID"}]`) + end
	if diff := cmp.Diff(want, still(t, postBody(t, h, hello).Body.String())); diff != "" {
		t.Error(diff)
	}
}
