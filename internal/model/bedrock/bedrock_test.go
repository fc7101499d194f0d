package bedrock_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

const sonnet = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"

var endpoint = model.Endpoint{BaseURL: "http://localhost", APIKey: "k", Dialect: bedrock.Name}

func ask(t testing.TB, s *dialecttest.Server, r model.Request) (*model.Response, []model.Delta, error) {
	t.Helper()
	if r.Model == "" {
		r.Model = sonnet
	}
	return dialecttest.Ask(t, bedrock.New(), endpoint, s, r)
}

// frame is a frame of a stream, with headers of text in pairs.
func frame(payload string, headers ...string) string {
	var h bytes.Buffer
	for i := 0; i < len(headers); i += 2 {
		h.WriteByte(byte(len(headers[i])))
		h.WriteString(headers[i])
		h.WriteByte(7)
		h.Write(binary.BigEndian.AppendUint16(nil, uint16(len(headers[i+1]))))
		h.WriteString(headers[i+1])
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+h.Len()+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(h.Len()))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, h.Bytes()...), payload...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

// event is a frame with an event, given as its type, a space and its payload.
func event(text string) string {
	kind, payload, _ := strings.Cut(text, " ")
	return frame(payload, ":event-type", kind, ":content-type", "application/json", ":message-type", "event")
}

func exception(kind, payload string) string {
	return frame(payload, ":exception-type", kind, ":content-type", "application/json", ":message-type", "exception")
}

func stream(frames ...string) *dialecttest.Server {
	return &dialecttest.Server{Status: http.StatusOK, Type: "application/vnd.amazon.eventstream", Answer: strings.Join(frames, "")}
}

func events(list ...string) *dialecttest.Server {
	var frames []string
	for _, e := range list {
		frames = append(frames, event(e))
	}
	return stream(frames...)
}

// thinking is an answer with reasoning before its text, and between two calls.
var thinking = []string{
	`messageStart {"role":"assistant","p":"abc"}`,
	`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"First "}}}`,
	`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"<this>."}}}`,
	`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"SIG"}}}`,
	`contentBlockStop {"contentBlockIndex":0}`,
	`contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"I "}}`,
	`contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"look."}}`,
	`contentBlockStop {"contentBlockIndex":1}`,
	`contentBlockStart {"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"tooluse_1","name":"grep"}}}`,
	`contentBlockDelta {"contentBlockIndex":2,"delta":{"toolUse":{"input":"{\"a\""}}}`,
	`contentBlockDelta {"contentBlockIndex":2,"delta":{"toolUse":{"input":":1}"}}}`,
	`contentBlockStop {"contentBlockIndex":2}`,
	`contentBlockDelta {"contentBlockIndex":3,"delta":{"reasoningContent":{"redactedContent":"UlJS"}}}`,
	`somethingNew {"a":1}`,
	`contentBlockStart {"contentBlockIndex":4,"start":{"toolUse":{"toolUseId":"tooluse_2","name":"view"}}}`,
	`contentBlockDelta {"contentBlockIndex":4,"delta":{"toolUse":{"input":""}}}`,
	`messageStop {"stopReason":"tool_use"}`,
	`metadata {"usage":{"inputTokens":10,"outputTokens":7,"totalTokens":23,"cacheReadInputTokens":4,"cacheWriteInputTokens":2},"metrics":{"latencyMs":3}}`,
}

const (
	signed   = `{"reasoningContent":{"reasoningText":{"text":"First <this>.","signature":"SIG"}}}`
	redacted = `{"reasoningContent":{"redactedContent":"UlJS"}}`
)

func thought() *model.Response {
	at := model.OriginAt(&endpoint, &model.Request{Model: sonnet})
	return &model.Response{
		Text: "I look.", FinishReason: "tool_calls", Attempts: 1,
		Reasoning: []model.Reasoning{
			{Text: "First <this>.", Opaque: signed, Origin: at},
			{Opaque: redacted, AfterText: 7, AfterCalls: 1, Origin: at},
		},
		ToolCalls: []model.ToolCall{{ID: "tooluse_1", Name: "grep", Arguments: `{"a":1}`}, {ID: "tooluse_2", Name: "view"}},
		Usage:     model.Usage{Input: 16, Output: 7, CacheRead: 4, CacheWrite: 2, Reported: true},
	}
}

func TestAStreamIsPutTogether(t *testing.T) {
	got, deltas, err := ask(t, events(thinking...), model.Request{Stream: true})
	if d := cmp.Diff(thought(), got, dialecttest.Measured()); d != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
	want := []model.Delta{
		{Kind: model.DeltaReasoning, Text: "First "},
		{Kind: model.DeltaReasoning, Text: "<this>."},
		{Kind: model.DeltaText, Text: "I "},
		{Kind: model.DeltaText, Text: "look."},
		{Kind: model.DeltaToolCall, CallID: "tooluse_1", Name: "grep"},
		{Kind: model.DeltaToolCall, CallID: "tooluse_1", Name: "grep", Text: `{"a"`},
		{Kind: model.DeltaToolCall, CallID: "tooluse_1", Name: "grep", Text: `:1}`},
		{Kind: model.DeltaToolCall, CallID: "tooluse_2", Name: "view", Index: 1},
	}
	if d := cmp.Diff(want, deltas); d != "" {
		t.Errorf("deltas (-want +got):\n%s", d)
	}
}

func TestAnAnswerThatIsNoStream(t *testing.T) {
	s := dialecttest.JSON(200, `{"output":{"message":{"role":"assistant","content":[`+signed+`,{"text":"I look."},{"toolUse":{"toolUseId":"tooluse_1","name":"grep","input":{"a":1}}},`+
		redacted+`,{"toolUse":{"toolUseId":"tooluse_2","name":"view"}}]}},"stopReason":"tool_use",`+
		`"usage":{"inputTokens":10,"outputTokens":7,"totalTokens":23,"cacheReadInputTokens":4,"cacheWriteInputTokens":2}}`)
	got, _, err := ask(t, s, model.Request{})
	if d := cmp.Diff(thought(), got, dialecttest.Measured()); d != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
	if path := s.Request.URL.EscapedPath(); path != "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse" {
		t.Errorf("it went to %s", path)
	}
}

const begun, text = `messageStart {"role":"assistant"}`, `contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"a"}}`

// fails is a stream that ends with an exception.
func fails(kind, payload string, before ...string) *dialecttest.Server {
	s := events(before...)
	s.Answer += exception(kind, payload)
	return s
}

func TestEndsAndFailures(t *testing.T) {
	end := func(reason string) *dialecttest.Server {
		return events(begun, text, `messageStop {"stopReason":"`+reason+`"}`)
	}
	refused := func(status int, kind, message string) *dialecttest.Server {
		return dialecttest.JSON(status, `{"__type":"`+kind+`","message":"`+message+`"}`)
	}
	garbled := events(begun)
	garbled.Answer += strings.Replace(event(text), `"a"`, `"b"`, 1)
	cut := events(begun, text)
	cut.Answer = cut.Answer[:len(cut.Answer)-3]
	for _, tc := range []struct {
		name      string
		server    *dialecttest.Server
		finish    string // of an answer
		category  string // of a failure
		retryable bool
	}{
		{"cut", events(begun), "", model.CategoryNetwork, true},
		{"cut after text", events(begun, text), "", model.CategoryNetwork, true},
		{"cut within a frame", cut, "", model.CategoryNetwork, true},
		{"throttled in a stream", fails("throttlingException", `{"message":"Too many tokens, please wait"}`, begun), "", model.CategoryRateLimit, true},
		{"throttled after text", fails("throttlingException", `{"message":"wait"}`, begun, text), "", model.CategoryRateLimit, true},
		{"broken in a stream", fails("modelStreamErrorException", `{"message":"x","originalStatusCode":424}`, begun), "", model.CategoryServer, true},
		{"broken without a reason", fails("internalServerException", "", begun), "", model.CategoryServer, true},
		{"refused in a stream", fails("validationException", `{"message":"Input is too long for requested model."}`), "", model.CategoryContextLimit, false},
		{"an error of the framing", stream(frame("", ":message-type", "error", ":error-code", "InternalServerException", ":error-message", "oh")), "", model.CategoryServer, true},
		{"rate", refused(429, "ThrottlingException", "Too many tokens, please wait before trying again."), "", model.CategoryRateLimit, true},
		{"a day's quota", refused(429, "ThrottlingException", "Too many tokens per day, please wait before trying again."), "", model.CategoryQuota, false},
		{"loading", refused(429, "ModelNotReadyException", "not ready"), "", model.CategoryOverloaded, true},
		{"busy in a stream", fails("serviceUnavailableException", `{"message":"x"}`, begun), "", model.CategoryOverloaded, true},
		{"wrong in a stream", fails("validationException", `{"message":"x"}`, begun), "", model.CategoryQuery, false},
		{"key", refused(403, "UnrecognizedClientException", "The security token included in the request is invalid."), "", model.CategoryAuthentication, false},
		{"clock", refused(403, "InvalidSignatureException", "Signature expired"), "", model.CategoryAuthentication, false},
		{"access", refused(403, "AccessDeniedException", "not authorized"), "", model.CategoryAuthorization, false},
		{"too long", refused(400, "ValidationException", "Input is too long for requested model."), "", model.CategoryContextLimit, false},
		{"wrong", refused(400, "ValidationException", "The text field in the ContentBlock object at messages.0.content.0 is blank"), "", model.CategoryQuery, false},
		{"another document", dialecttest.JSON(200, `{"hello":1}`), "", model.CategoryProtocol, false},
		{"garbled", garbled, "", model.CategoryProtocol, false},
		{"no JSON", events(`messageStart hello`), "", model.CategoryProtocol, false},
		{"a broken call", end("malformed_tool_use"), "", model.CategoryServer, true},
		{"end", end("end_turn"), "stop", "", false},
		{"length", end("max_tokens"), "length", "", false},
		{"guardrail", end("guardrail_intervened"), "content_filter", "", false},
		{"window", end("model_context_window_exceeded"), "context_window", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _, err := ask(t, tc.server, model.Request{Stream: true})
			dialecttest.CheckEnd(t, got, err, dialecttest.End{Finish: model.Finish(tc.finish), Category: tc.category, Retryable: tc.retryable})
		})
	}
}

// FuzzStream: whatever frames a server sends, the decoder neither panics nor makes two calls with
// one id, and pieces lie within the answer.
func FuzzStream(f *testing.F) {
	f.Add(strings.Join(thinking, "\n"))
	f.Add(`contentBlockStart {"start":{"toolUse":{"input":[1]}}}` + "\n" + `messageStop {"stopReason":"x"}`)
	f.Fuzz(func(t *testing.T, lines string) {
		var frames []string
		for line := range strings.SplitSeq(lines, "\n") {
			if len(line) < 1<<15 {
				frames = append(frames, event(line))
			}
		}
		got, _, err := ask(t, stream(frames...), model.Request{Stream: true})
		if err != nil {
			return
		}
		ids := map[string]bool{}
		for _, c := range got.ToolCalls {
			if c.ID == "" || ids[c.ID] {
				t.Errorf("the id %q comes twice, or is empty", c.ID)
			}
			ids[c.ID] = true
		}
		for _, p := range got.Reasoning {
			if p.AfterText > len(got.Text) || p.AfterCalls > len(got.ToolCalls) {
				t.Errorf("a piece is outside the answer: %+v", p)
			}
		}
	})
}
