package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/dialecttest"
)

// at is an endpoint of a provider.
func at(base string) model.Endpoint { return model.Endpoint{BaseURL: base, LongestAnswer: 384_000} }

// body is what a provider gets.
func body(t *testing.T, ep model.Endpoint, r model.Request) string {
	t.Helper()
	r.Model = "m"
	s := dialecttest.JSON(200, `{"choices":[{"message":{"content":"x"}}]}`)
	if _, _, err := dialecttest.Ask(t, chat.New(), ep, s, r); err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(s.Body)) {
		t.Fatalf("sent %s, which is not JSON", s.Body)
	}
	return s.Body
}

const (
	openai, azure, mistral = "https://api.openai.com/v1", "https://x.openai.azure.com/openai/v1", "https://api.mistral.ai/v1"
	gemini, openrouter     = "https://generativelanguage.googleapis.com/v1beta/openai", "https://openrouter.ai/api/v1"
	anyServer              = "http://127.0.0.1:8080/v1"
)

// called is a conversation with one call and its result, followed by a message of the user.
func called(id string) []model.Message {
	return []model.Message{
		{Role: model.RoleUser, Content: "hi"},
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: id, Name: "grep", Arguments: "{}"}}},
		{Role: model.RoleTool, ToolCallID: id, Content: "r"},
		{Role: model.RoleUser, Content: "go on"},
	}
}

// deviant is a deviation of a provider in what it accepts, with its source.
type deviant struct {
	name, source, base string
	req                model.Request
	has, hasNot        string // what the body has, and what it must not have
}

func (d deviant) check(t *testing.T) {
	sent := body(t, at(d.base), d.req)
	if !strings.Contains(sent, d.has) || strings.Contains(sent, d.hasNot) {
		t.Errorf("%s: sent %s\nwant %s, and not %s", d.name, sent, d.has, d.hasNot)
	}
	if again := body(t, at(d.base), d.req); again != sent {
		t.Errorf("%s: the same request is sent as %s and as %s", d.name, sent, again)
	}
}

func TestRequestsOfDeviants(t *testing.T) {
	long := "call_" + strings.Repeat("x", 60)
	pdf := []model.Message{{Role: model.RoleUser, Parts: []model.Part{{Text: "see"}, {Document: &model.Document{Name: "a.pdf", MediaType: "application/pdf", Data: "AA=="}}}}}
	for _, d := range []deviant{
		{"OpenAI's limit", "docs.litellm.ai/blog/gpt_6_astra", openai, model.Request{MaxOutputTokens: 5}, `"max_completion_tokens":5`, `"max_tokens"`},
		{"Azure's limit", "the same", azure, model.Request{MaxOutputTokens: 5}, `"max_completion_tokens":5`, `"max_tokens"`},
		{"the limit of others", "docs.mistral.ai, lmstudio-ai/docs", anyServer, model.Request{MaxOutputTokens: 5}, `"max_tokens":5`, `"max_completion_tokens"`},
		{"DeepSeek's own limit", "modelparams.dev/models/deepseek", "https://api.deepseek.com", model.Request{}, `"max_tokens":384000`, "\x00"},
		{"Moonshot's own limit", "NousResearch/hermes-agent#13168", "https://api.moonshot.ai/v1", model.Request{}, `"max_tokens":384000`, "\x00"},
		{"a limit at DeepSeek", "", "https://api.deepseek.com", model.Request{MaxOutputTokens: 5}, `"max_tokens":5`, "384000"},
		{"no limit elsewhere", "", anyServer, model.Request{}, `"messages"`, "384000"},
		{"OpenAI's ids", "vercel/ai#5171", openai, model.Request{Messages: called(long)}, `"tool_call_id":"call_`, long},
		{"ids of others", "vllm-project/vllm#10821", anyServer, model.Request{Messages: called(long)}, `"tool_call_id":"` + long, "\x00"},
		{"Mistral's ids", "langchain-ai/langchain#24668", mistral, model.Request{Messages: called("call_1")}, `"tool_call_id":"`, "call_1"},
		{"Mistral's own ids", "the same", mistral, model.Request{Messages: called("aB3456789")}, `"tool_call_id":"aB3456789"`, "\x00"},
		{"a user after a result at Mistral", "badlogic/pi-mono packages/ai", mistral, model.Request{Messages: called("aB3456789")}, `"tool_call_id":"aB3456789"},{"role":"assistant","content":"Done."},{"role":"user"`, "\x00"},
		{"a user after a result elsewhere", "", anyServer, model.Request{Messages: called("c1")}, `"tool_call_id":"c1"},{"role":"user"`, "Done."},
		{"usage at Mistral", "the types of Mistral's API", mistral, model.Request{Stream: true}, `"stream":true}`, "stream_options"},
		{"documents at OpenAI", "developers.openai.com, file inputs", openai, model.Request{Messages: pdf}, `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AA=="}}`, "\x00"},
		{"documents at OpenRouter", "openrouter.ai, PDF inputs", openrouter, model.Request{Messages: pdf}, `"file_data":"data:application/pdf;base64,AA=="`, "\x00"},
		{"documents elsewhere", "", anyServer, model.Request{Messages: pdf}, `[The document a.pdf cannot be sent to this model.]`, "file_data"},
		{"empty texts", "vLLM's templates", anyServer, model.Request{Messages: []model.Message{{Role: model.RoleUser, Parts: []model.Part{{}, {ImageURL: "data:x"}}}}}, `"content":[{"type":"image_url"`, `"text":""`},
	} {
		d.check(t)
	}
}

func TestSchemasAndThoughtsOfDeviants(t *testing.T) {
	schema := []model.Tool{{Name: "a", Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"const":"y"}},"additionalProperties":false}`)}, {Name: "b"}}
	thought := called("c1")
	thought[1].Reasoning = []model.Reasoning{{Opaque: "thought_signature:s1", Origin: model.Origin{Provider: gemini, Model: "m"}}}
	thinks := func(base, field, opaque string) []model.Message {
		return []model.Message{{Role: model.RoleAssistant, Content: "a", Reasoning: []model.Reasoning{{Text: "t", Field: field, Opaque: opaque, Origin: model.Origin{Provider: base, Model: "m"}}}}}
	}
	for _, d := range []deviant{
		{"Mistral's thoughts", "vercel/ai, provider mistral", mistral, model.Request{Messages: thinks(mistral, "thinking", "")}, `"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"text","text":"a"}]`, `"thinking":"t"`},
		{"DeepSeek's thoughts", "mnfst/modelparams.dev#29", "https://api.deepseek.com", model.Request{Messages: thinks("https://api.deepseek.com", "reasoning_content", "")}, `"content":"a","reasoning_content":"t"`, "\x00"},
		{"OpenRouter's thoughts", "openrouter.ai, reasoning tokens", openrouter, model.Request{Messages: thinks(openrouter, "reasoning", `[{"type":"reasoning.text"}]`)}, `"content":"a","reasoning_details":[{"type":"reasoning.text"}]}`, `"reasoning":`},
		{"thoughts between tags", "the chat templates of Qwen and DeepSeek", anyServer, model.Request{Messages: thinks(anyServer, "", "")}, `"content":"a"}`, `"t"`},
		{"schemas at Gemini's door", "zed-industries/zed#44875", gemini, model.Request{Tools: schema}, `"name":"a","parameters":{"type":"object","properties":{"x":{"type":"string","enum":["y"]}}}}},{"type":"function","function":{"name":"b"}}`, "additionalProperties"},
		{"schemas elsewhere", "", anyServer, model.Request{Tools: schema}, `"x":{"const":"y"}},"additionalProperties":false}`, "\x00"},
		{"signatures at Gemini's door", "ai.google.dev, thought signatures", gemini, model.Request{Messages: thought}, `"extra_content":{"google":{"thought_signature":"s1"}}`, "skip"},
		{"calls of others at Gemini's door", "the same", gemini, model.Request{Messages: called("c1")}, `"extra_content":{"google":{"thought_signature":"skip_thought_signature_validator"}}`, "\x00"},
		{"signatures elsewhere", "", anyServer, model.Request{Messages: thought}, `"name":"grep","arguments":"{}"}}]`, "extra_content"},
	} {
		d.check(t)
	}
}

// deviantAnswer is a deviation of a provider in what it sends, with its source.
type deviantAnswer struct {
	name, source, base string
	events             []string
	want               model.Response
}

func (d deviantAnswer) check(t *testing.T) {
	got, _, err := dialecttest.Ask(t, chat.New(), at(d.base), dialecttest.Events(d.events...), model.Request{Model: "m", Stream: true})
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	d.want.Attempts = 1
	if diff := cmp.Diff(&d.want, got, dialecttest.Measured(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", d.name, diff)
	}
}

// end is the last event of an answer.
const end = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`

func TestAnswersOfDeviants(t *testing.T) {
	for _, d := range []deviantAnswer{
		{
			"Moonshot's usage is in the choice", "badlogic/pi-mono packages/ai", "https://api.moonshot.ai/v1",
			[]string{`{"choices":[{"delta":{"content":"x"},"finish_reason":"stop","usage":{"prompt_tokens":3,"completion_tokens":2}}]}`},
			model.Response{Text: "x", FinishReason: "stop", Usage: model.Usage{Input: 3, Output: 2, Reported: true}},
		},
		{
			"OpenAI's text is text", "", openai,
			[]string{`{"choices":[{"delta":{"content":"<think>t</think>x"}}]}`, end},
			model.Response{Text: "<think>t</think>x", FinishReason: "stop"},
		},
		{
			"frames that keep the connection alive", "LM Studio, Z.ai", anyServer,
			[]string{`{"type":"keepalive"}`, `{}`, `{"choices":[{"delta":{"content":"x"}}]}`, `{"choices":[]}`, end},
			model.Response{Text: "x", FinishReason: "stop"},
		},
		{
			"Azure's first chunk", "learn.microsoft.com, content filtering", azure,
			[]string{`{"choices":[],"prompt_filter_results":[{"prompt_index":0}]}`, `{"choices":[{"delta":{"content":"x"}}]}`, end},
			model.Response{Text: "x", FinishReason: "stop"},
		},
	} {
		d.check(t)
	}
}

func TestThoughtsInAnswersOfDeviants(t *testing.T) {
	here := func(base string) model.Origin { return model.Origin{Provider: base, Model: "m"} }
	for _, d := range []deviantAnswer{
		{
			"Mistral's thoughts are parts", "docs.mistral.ai, reasoning", mistral,
			[]string{`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}}]}`, `{"choices":[{"delta":{"content":"x"}}]}`, end},
			model.Response{Text: "x", FinishReason: "stop", Reasoning: []model.Reasoning{{Text: "t", Field: "thinking", Origin: here(mistral)}}},
		},
		{
			"OpenRouter's details", "openrouter.ai, reasoning tokens", openrouter,
			[]string{
				`{"choices":[{"delta":{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","format":"f","index":0}]}}]}`,
				`{"choices":[{"delta":{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","format":"f","index":0}]}}]}`,
				`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0}]}}]}`,
				`{"choices":[{"delta":{"content":"x","reasoning_details":[{"type":"reasoning.encrypted","data":"e","index":1}]}}]}`, end,
			},
			model.Response{Text: "x", FinishReason: "stop", Reasoning: []model.Reasoning{{
				Text: "ab", Field: "reasoning", Origin: here(openrouter),
				Opaque: `[{"format":"f","index":0,"signature":"s","text":"ab","type":"reasoning.text"},{"type":"reasoning.encrypted","data":"e","index":1}]`,
			}}},
		},
		{
			"signatures at Gemini's door, and all indexes 0", "ai.google.dev, thought signatures", gemini,
			[]string{
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":"{}"}}]}}]}`, end,
			},
			model.Response{
				FinishReason: "tool_calls", ToolCalls: []model.ToolCall{{ID: "a", Name: "x", Arguments: "{}"}, {ID: "b", Name: "y", Arguments: "{}"}},
				Reasoning: []model.Reasoning{{Opaque: "thought_signature:s", Origin: here(gemini)}},
			},
		},
		{
			"llama.cpp without a parser", "ggml-org/llama.cpp tools/server README", anyServer,
			[]string{`{"choices":[{"delta":{"content":"<think>t</think>\n\nx"}}]}`, end},
			model.Response{Text: "x", FinishReason: "stop", Reasoning: []model.Reasoning{{Text: "t", Origin: here(anyServer)}}},
		},
		{
			"text is text beside a field", "vLLM, reasoning outputs", anyServer,
			[]string{`{"choices":[{"delta":{"reasoning":"t"}}]}`, `{"choices":[{"delta":{"content":"<think>x"}}]}`, end},
			model.Response{Text: "<think>x", FinishReason: "stop", Reasoning: []model.Reasoning{{Text: "t", Field: "reasoning", Origin: here(anyServer)}}},
		},
	} {
		d.check(t)
	}
}

// Errors within an answer of status 200.
func TestErrorsOfDeviants(t *testing.T) {
	for _, tc := range []struct{ name, source, event, message string }{
		{"OpenRouter", "openrouter.ai/docs/api/errors", `{"error":{"code":502,"message":"Provider returned error"},"choices":[{"delta":{},"finish_reason":"error"}]}`, "Provider returned error"},
		{"OpenRouter, only the reason", "the same", `{"choices":[{"delta":{},"finish_reason":"error"}]}`, "ended the answer with an error"},
		{"older vLLM", "vllm-project/vllm engine/protocol.py", `{"object":"error","message":"too long","code":400}`, "too long"},
		{"Gemini's door", "ai.google.dev, errors", `[{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}]`, "overloaded"},
		{"llama.cpp", "ggml-org/llama.cpp#15780", `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, "context size"},
	} {
		for kind, s := range map[string]*dialecttest.Server{"a stream": dialecttest.Events(tc.event), "whole": dialecttest.JSON(200, tc.event)} {
			_, _, err := dialecttest.Ask(t, chat.New(), at(anyServer), s, model.Request{Model: "m", Stream: true})
			if kind == "whole" && strings.Contains(tc.name, "only") {
				continue // it is an answer without text
			}
			if err == nil || !strings.Contains(err.Error(), tc.message) {
				t.Errorf("%s, %s: %v, want %q", tc.name, kind, err, tc.message)
			}
		}
	}
}

// The service that was retired is named, instead of an answer that nobody understands.
func TestGitHubModelsIsRetired(t *testing.T) {
	for _, base := range []string{"https://models.github.ai/inference", "https://models.inference.ai.azure.com"} {
		_, _, err := dialecttest.Ask(t, chat.New(), at(base), dialecttest.Events(), model.Request{Model: "m"})
		if err == nil || !strings.Contains(err.Error(), "GitHub Models was retired on 2026-07-30") {
			t.Errorf("%s: %v", base, err)
		}
	}
}

// Pictures and documents of results are messages of the user after all results.
func TestPicturesOfResultsFollowThem(t *testing.T) {
	messages := []model.Message{
		{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "x"}, {ID: "b", Name: "x"}}},
		{Role: model.RoleTool, ToolCallID: "a", Content: "1", Parts: []model.Part{{Text: "p"}, {ImageURL: "data:p"}, {Text: "q"}, {ImageURL: "data:q"}}},
		{Role: model.RoleTool, ToolCallID: "b", Content: "2"},
	}
	empty := []model.Message{{Role: model.RoleTool, ToolCallID: "a", Content: "1", Parts: []model.Part{}}}
	if sent := body(t, at(anyServer), model.Request{Messages: empty}); !strings.Contains(sent, `{"role":"tool","content":"1","tool_call_id":"a"}`) {
		t.Errorf("a result without files: %s", sent)
	}
	results := `{"role":"tool","content":"1","tool_call_id":"a"},{"role":"tool","content":"2","tool_call_id":"b"},`
	shown := `{"role":"user","content":[{"type":"text","text":"p"},{"type":"image_url","image_url":{"url":"data:p"}}]},{"role":"user","content":[{"type":"text","text":"q"},{"type":"image_url","image_url":{"url":"data:q"}}]}`
	if sent := body(t, at(anyServer), model.Request{Messages: messages}); !strings.HasSuffix(sent, results+shown+"]}") {
		t.Errorf("at the end: %s", sent)
	}
	next := append(messages, model.Message{Role: model.RoleUser, Content: "go on"})
	if sent := body(t, at(anyServer), model.Request{Messages: next}); !strings.HasSuffix(sent, results+shown+`,{"role":"user","content":"go on"}]}`) {
		t.Errorf("before a message: %s", sent)
	}
	if sent := body(t, at(mistral), model.Request{Messages: next}); strings.Count(sent, `"Done."`) != 1 {
		t.Errorf("at Mistral: %s", sent)
	}
}
