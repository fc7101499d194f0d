package bedrock_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/dialecttest"
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
	at := model.Origin{Provider: "http://localhost", Model: sonnet}
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

// The answer goes back in the blocks and in the order in which it came; another model gets its
// text and its calls only, and no marks if it does not know them.
func TestAnAnswerGoesBackAsItCame(t *testing.T) {
	r := thought()
	conversation := []model.Message{
		{Role: model.RoleSystem, Content: "Be brief."},
		{Role: model.RoleUser, Parts: []model.Part{{Text: "See"}, {ImageURL: "data:image/png;base64,AA"}, {ImageURL: "https://a/b.png"}}},
		{Role: model.RoleAssistant, Content: r.Text, Reasoning: r.Reasoning, ToolCalls: r.ToolCalls},
		{Role: model.RoleTool, ToolCallID: "tooluse_1", Content: "found"},
		{Role: model.RoleTool, ToolCallID: "tooluse_2"},
		{Role: model.RoleUser, Content: "And?"},
	}
	body := func(mark, first, between string) string {
		return `{"system":[{"text":"Be brief."}` + mark + `],"messages":[{"role":"user","content":[{"text":"See"},{"image":{"format":"png","source":{"bytes":"AA"}}},` +
			`{"text":"(An image at https://a/b.png that you cannot see.)"}` + mark + `]},{"role":"assistant","content":[` + first + `{"text":"I look."},` +
			`{"toolUse":{"toolUseId":"tooluse_1","name":"grep","input":{"a":1}}},` + between + `{"toolUse":{"toolUseId":"tooluse_2","name":"view","input":{}}}]},` +
			`{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"found"}]}},{"toolResult":{"toolUseId":"tooluse_2","content":[{"text":"(The result is empty.)"}]}},` +
			`{"text":"And?"}` + mark + `]}],"toolConfig":{"tools":[{"toolSpec":{"name":"grep","description":"This tool is not available any more; do not call it.","inputSchema":{"json":{"type":"object","properties":{}}}}},` +
			`{"toolSpec":{"name":"view","description":"This tool is not available any more; do not call it.","inputSchema":{"json":{"type":"object","properties":{}}}}}]}}`
	}
	for name, tc := range map[string]struct{ model, want string }{
		"to the same model": {sonnet, body(`,{"cachePoint":{"type":"default"}}`, signed+",", redacted+",")},
		"to another model":  {"openai.gpt-oss-120b-1:0", body("", "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			s := events(thinking...)
			if _, _, err := ask(t, s, model.Request{Model: tc.model, Messages: conversation, Stream: true}); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if h := s.Request.Header; !strings.HasSuffix(s.Request.URL.Path, "/converse-stream") || h.Get("Authorization") != "Bearer k" {
				t.Errorf("it went to %s with %v", s.Request.URL, h)
			}
		})
	}
}

func TestWhatARequestAsksFor(t *testing.T) {
	for _, tc := range []struct {
		name string
		r    model.Request
		want string
	}{
		{"nothing", model.Request{}, `{"messages":[]}`},
		{"a limit", model.Request{MaxOutputTokens: 9}, `{"messages":[],"inferenceConfig":{"maxTokens":9}}`},
		{"a budget", model.Request{ReasoningEffort: "low"}, `{"messages":[],"inferenceConfig":{"maxTokens":64000},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":4096}}}`},
		{"a budget within a limit", model.Request{ReasoningEffort: "max", MaxOutputTokens: 2000}, `{"messages":[],"inferenceConfig":{"maxTokens":2000},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":1999}}}`},
		{"no room for a budget", model.Request{ReasoningEffort: "low", MaxOutputTokens: 1000}, `{"messages":[],"inferenceConfig":{"maxTokens":1000}}`},
		{"effort", model.Request{Model: "eu.anthropic.claude-opus-4-7-v1", ReasoningEffort: "high"}, `{"messages":[],"additionalModelRequestFields":{"thinking":{"type":"adaptive","display":"summarized"}},"outputConfig":{"effort":"high"}}`},
		{"effort, nothing shown", model.Request{Model: "anthropic.claude-opus-4-7-v1", ReasoningEffort: "high", ReasoningSummary: "none"}, `{"messages":[],"additionalModelRequestFields":{"thinking":{"type":"adaptive"}},"outputConfig":{"effort":"high"}}`},
		{"is stopped", model.Request{Model: "anthropic.claude-opus-5", ReasoningEffort: "none"}, `{"messages":[],"additionalModelRequestFields":{"thinking":{"type":"disabled"}}}`},
		{"cannot be stopped", model.Request{Model: "anthropic.claude-opus-5-5", ReasoningEffort: "none"}, `{"messages":[]}`},
		{"Nova", model.Request{Model: "us.amazon.nova-2-lite-v1:0", ReasoningEffort: "low"}, `{"messages":[],"additionalModelRequestFields":{"reasoningConfig":{"type":"enabled","maxReasoningEffort":"low"}}}`},
		{"Nova, not thinking", model.Request{Model: "us.amazon.nova-2-lite-v1:0", ReasoningEffort: "none"}, `{"messages":[],"additionalModelRequestFields":{"reasoningConfig":{"type":"disabled"}}}`},
		{"another vendor", model.Request{Model: "openai.gpt-oss-120b-1:0", ReasoningEffort: "high"}, `{"messages":[],"additionalModelRequestFields":{"reasoning_effort":"high"}}`},
		{
			"a form",
			model.Request{Format: &model.ResponseFormat{Name: "n", Description: "d", Schema: json.RawMessage(`{"type":"object"}`)}},
			`{"messages":[],"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"n","description":"d","schema":"{\"type\":\"object\"}"}}}}}`,
		},
		{
			"tools",
			model.Request{Tools: []model.Tool{{Name: "a", Description: "b"}, {Name: "c", Parameters: json.RawMessage(`{"type":"object"}`)}}},
			`{"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"a","description":"b","inputSchema":{"json":{"type":"object","properties":{}}}}},{"toolSpec":{"name":"c","inputSchema":{"json":{"type":"object"}}}}]}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := events(thinking...)
			if _, _, err := ask(t, s, tc.r); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, s.Body); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A document goes out under a name that the server accepts, with a text, and its citations come
// back with their places in the text.
func TestDocumentsAndCitations(t *testing.T) {
	s := events(`contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"I read: "}}`,
		`contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"it rains"}}`,
		`contentBlockDelta {"contentBlockIndex":1,"delta":{"citation":{"title":"a pdf","sourceContent":[{"text":"Rain."}],"location":{"documentPage":{"documentIndex":0,"start":2,"end":3}}}}}`,
		`messageStop {"stopReason":"end_turn"}`)
	pdf := model.Document{Name: "my_a.pdf", MediaType: "application/pdf", Data: "AA"}
	messages := []model.Message{
		{Role: model.RoleUser, Parts: []model.Part{{Document: &pdf}}},
		{Role: model.RoleUser, Parts: []model.Part{{Text: "again"}, {Document: &pdf}, {Document: &model.Document{Name: "x.zip", MediaType: "application/zip"}}, {ImageURL: "data:image/tiff;base64,AA"}}},
	}
	for cite, member := range map[bool]string{true: `,"citations":{"enabled":true}`, false: ""} {
		got, _, err := ask(t, s, model.Request{Model: "openai.gpt-oss-120b-1:0", Messages: messages, Stream: true, Citations: cite})
		want := []model.Citation{{Start: 8, End: 16, Cited: "Rain.", Title: "a pdf", Unit: "page", From: 2, To: 2}}
		if err != nil || cmp.Diff(want, got.Citations) != "" {
			t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got.Citations))
		}
		block := func(name string) string {
			return `{"document":{"format":"pdf","name":"` + name + `","source":{"bytes":"AA"}` + member + `}}`
		}
		body := `{"messages":[{"role":"user","content":[` + block("my a pdf") + `,{"text":"(The user attached this.)"},{"text":"again"},` + block("my a pdf (2)") +
			`,{"text":"(The file x.zip, of the type application/zip, that you cannot read.)"},{"text":"(An image of the type image/tiff that you cannot see.)"}]}]}`
		if d := cmp.Diff(body, s.Body); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

func TestCitationsOfAWholeAnswer(t *testing.T) {
	got, _, err := ask(t, dialecttest.JSON(200, `{"output":{"message":{"content":[{"citationsContent":{"content":[{"text":"It "},{"text":"rains"}],`+
		`"citations":[{"title":"a","sourceContent":[{"text":"Rain."}],"location":{"documentChar":{"documentIndex":1,"start":2,"end":7}}}]}}]}},"stopReason":"end_turn"}`), model.Request{})
	want := []model.Citation{{End: 8, Cited: "Rain.", Title: "a", Document: 1, Unit: "char", From: 2, To: 7}}
	if err != nil || got.Text != "It rains" || cmp.Diff(want, got.Citations) != "" {
		t.Errorf("%v, %+v", err, got)
	}
}

// What other models and clients have left in a conversation must not have the next request
// refused.
func TestAConversationThatOtherModelsBegan(t *testing.T) {
	odd := "call|" + strings.Repeat("x", 80)
	for name, idLength := range map[string]int{sonnet: 37, "mistral.mistral-large-2407-v1:0": 9} {
		s := events(thinking...)
		if _, _, err := ask(t, s, model.Request{Model: name, Messages: []model.Message{
			{Role: model.RoleAssistant, Content: " \n", ToolCalls: []model.ToolCall{{ID: odd, Name: "a", Arguments: "[1"}, {ID: "b23456789", Name: "b", Arguments: " "}}},
			{Role: model.RoleTool, ToolCallID: odd, Content: "r"},
			{Role: model.RoleTool, ToolCallID: "b23456789", Content: "s"},
			{Role: model.RoleUser, Content: "  "},
			{Role: model.RoleAssistant, Content: "Done."},
			{Role: model.RoleAssistant, Content: "Really."},
			{Role: model.RoleUser, Content: "Go on"},
		}}); err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Messages []struct {
				Role    string
				Content []map[string]json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(s.Body), &sent); err != nil {
			t.Fatalf("%v: %s", err, s.Body)
		}
		var shape []string
		for _, m := range sent.Messages {
			line := m.Role + ":"
			for _, c := range m.Content {
				for kind := range c {
					if kind != "cachePoint" {
						line += " " + kind
					}
				}
			}
			shape = append(shape, line)
		}
		want := []string{"user: text", "assistant: toolUse toolUse", "user: toolResult toolResult", "assistant: text text", "user: text"}
		if d := cmp.Diff(want, shape); d != "" {
			t.Fatalf("(-want +got):\n%s", d)
		}
		var call, second, result struct {
			ID    string `json:"toolUseId"`
			Input json.RawMessage
		}
		for raw, to := range map[*json.RawMessage]any{
			ptr(sent.Messages[1].Content[0]["toolUse"]): &call, ptr(sent.Messages[1].Content[1]["toolUse"]): &second, ptr(sent.Messages[2].Content[0]["toolResult"]): &result,
		} {
			if err := json.Unmarshal(*raw, to); err != nil {
				t.Fatal(err)
			}
		}
		if len(call.ID) != idLength || call.ID != result.ID || second.ID != "b23456789" {
			t.Errorf("%s: the ids are %q, %q and %q", name, call.ID, result.ID, second.ID)
		}
		if string(call.Input) != `{"_raw":"[1"}` || string(second.Input) != "{}" {
			t.Errorf("the arguments are %s and %s", call.Input, second.Input)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestEndsAndFailures(t *testing.T) {
	const begun, text = `messageStart {"role":"assistant"}`, `contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"a"}}`
	end := func(reason string) *dialecttest.Server {
		return events(begun, text, `messageStop {"stopReason":"`+reason+`"}`)
	}
	refused := func(status int, kind, message string) *dialecttest.Server {
		return dialecttest.JSON(status, `{"__type":"`+kind+`","message":"`+message+`"}`)
	}
	fails := func(kind, payload string, before ...string) *dialecttest.Server {
		s := events(before...)
		s.Answer += exception(kind, payload)
		return s
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
		{"cut after text", events(begun, text), "", model.CategoryNetwork, false},
		{"cut within a frame", cut, "", model.CategoryNetwork, true},
		{"throttled in a stream", fails("throttlingException", `{"message":"Too many tokens, please wait"}`, begun), "", model.CategoryRateLimit, true},
		{"throttled after text", fails("throttlingException", `{"message":"wait"}`, begun, text), "", model.CategoryRateLimit, false},
		{"broken in a stream", fails("modelStreamErrorException", `{"message":"x","originalStatusCode":424}`, begun), "", model.CategoryServer, true},
		{"broken without a reason", fails("internalServerException", "", begun), "", model.CategoryServer, true},
		{"refused in a stream", fails("validationException", `{"message":"Input is too long for requested model."}`), "", model.CategoryContextLimit, false},
		{"an error of the framing", stream(frame("", ":message-type", "error", ":error-code", "InternalServerException", ":error-message", "oh")), "", model.CategoryServer, true},
		{"rate", refused(429, "ThrottlingException", "Too many tokens, please wait before trying again."), "", model.CategoryRateLimit, true},
		{"a day's quota", refused(429, "ThrottlingException", "Too many tokens per day, please wait before trying again."), "", model.CategoryQuota, false},
		{"loading", refused(429, "ModelNotReadyException", "not ready"), "", model.CategoryServer, true},
		{"key", refused(403, "UnrecognizedClientException", "The security token included in the request is invalid."), "", model.CategoryAuthentication, false},
		{"clock", refused(403, "InvalidSignatureException", "Signature expired"), "", model.CategoryAuthentication, false},
		{"access", refused(403, "AccessDeniedException", "not authorized"), "", model.CategoryAuthorization, false},
		{"too long", refused(400, "ValidationException", "Input is too long for requested model."), "", model.CategoryContextLimit, false},
		{"wrong", refused(400, "ValidationException", "The text field in the ContentBlock object at messages.0.content.0 is blank"), "", model.CategoryQuery, false},
		{"another document", dialecttest.JSON(200, `{"hello":1}`), "", model.CategoryProtocol, false},
		{"garbled", garbled, "", model.CategoryProtocol, false},
		{"no JSON", events(`messageStart hello`), "", model.CategoryProtocol, false},
		{"a broken call", end("malformed_tool_use"), "", model.CategoryServer, false},
		{"end", end("end_turn"), "stop", "", false},
		{"length", end("max_tokens"), "length", "", false},
		{"guardrail", end("guardrail_intervened"), "content_filter", "", false},
		{"window", end("model_context_window_exceeded"), "model_context_window_exceeded", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _, err := ask(t, tc.server, model.Request{Stream: true})
			var e *model.Error
			switch {
			case tc.category == "" && (err != nil || got.FinishReason != tc.finish):
				t.Errorf("%+v, %v", got, err)
			case tc.category != "" && (!errors.As(err, &e) || e.Category != tc.category || e.Retryable != tc.retryable):
				t.Errorf("%v: %+v", err, e)
			}
		})
	}
}

// lists is a server of lists of models.
type lists struct {
	hosts  []string
	header http.Header
	denied string // the list that the credential may not read
}

func (l *lists) RoundTrip(r *http.Request) (*http.Response, error) {
	l.hosts, l.header = append(l.hosts, r.URL.Host), r.Header
	resp := &http.Response{StatusCode: 200, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(map[string]string{
		"/foundation-models": `{"modelSummaries":[` +
			`{"modelId":"anthropic.claude-opus-5","modelName":"Claude Opus 5","providerName":"Anthropic","inputModalities":["TEXT","IMAGE"],"inferenceTypesSupported":["INFERENCE_PROFILE"]},` +
			`{"modelId":"amazon.nova-micro-v1:0","modelName":"Nova Micro","providerName":"Amazon","inputModalities":["TEXT"],"inferenceTypesSupported":["ON_DEMAND"]}]}`,
		"/inference-profiles": `{"inferenceProfileSummaries":[{"inferenceProfileId":"us.anthropic.claude-opus-5","inferenceProfileName":"US Claude Opus 5",` +
			`"models":[{"modelArn":"arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-5"}]}]}`,
	}[r.URL.Path]))}
	if r.URL.Path == l.denied {
		resp.StatusCode, resp.Body = 403, io.NopCloser(strings.NewReader(`{"message":"no"}`))
		resp.Header.Set("X-Amzn-Errortype", "AccessDeniedException:http://x")
	}
	return resp, nil
}

// The list has the profiles and the models that can be called without one, from a host of its own,
// with a signature.
func TestTheListOfModels(t *testing.T) {
	profile := model.Info{ID: "us.anthropic.claude-opus-5", Name: "US Claude Opus 5", Vendor: "Anthropic", Vision: true}
	micro := model.Info{ID: "amazon.nova-micro-v1:0", Name: "Nova Micro", Vendor: "Amazon"}
	blind := profile
	blind.Vendor, blind.Vision = "", false
	for denied, want := range map[string][]model.Info{"": {profile, micro}, "/inference-profiles": {micro}, "/foundation-models": {blind}} {
		s := &lists{denied: denied}
		c := model.New(model.Options{Transport: s}, bedrock.New())
		got, err := c.Models(t.Context(), model.Endpoint{
			BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com", Dialect: bedrock.Name, AWS: model.AWS{Region: "us-east-1", KeyID: "AK", Secret: "s", SessionToken: "session"},
		})
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Info{}, "Raw")); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
		if auth := s.header.Get("Authorization"); s.hosts[0] != "bedrock.us-east-1.amazonaws.com" || !strings.HasPrefix(auth, "AWS4-HMAC-SHA256 Credential=AK/") ||
			!strings.Contains(auth, "/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, ") || s.header.Get("X-Amz-Security-Token") != "session" {
			t.Errorf("%s got %v", s.hosts[0], s.header)
		}
		c.Close()
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
